/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.mapreduce.map;

import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;
import org.freshet.mapreduce.run.TaskInternals;

/**
 * The map task that a chunk's sort buffer sees. Stock MapOutputBuffer completes its task's sort
 * phase when it merges, so each chunk has a phase of its own; files get names of their own, and a
 * fatal error goes to the task that really runs.
 */
final class LeafMapTask extends MapTask {
  private final Task real;
  private final LeafFiles files;
  private final Progress sortPhase;

  LeafMapTask(Task real, TaskAttemptID attempt, LeafFiles files) {
    super("", attempt, real.getPartition(), new TaskSplitIndex(), 1);
    this.real = real;
    this.files = files;
    sortPhase = new Progress().addPhase("sort");
  }

  @Override
  public MapOutputFile getMapOutputFile() {
    return files;
  }

  @Override
  public Progress getSortPhase() {
    return sortPhase;
  }

  @Override
  protected void reportFatalError(
      TaskAttemptID attempt, Throwable error, String message, boolean failFast) {
    TaskInternals.reportFatalError(real, real.getTaskID(), error, message, failFast);
  }
}
