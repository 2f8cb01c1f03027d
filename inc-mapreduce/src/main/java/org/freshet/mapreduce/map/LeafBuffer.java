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

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * One chunk's output: a fresh stock sort buffer whose merged output stays a local file of its own.
 * Used by map tasks for each chunk of a batch, and by reduce tasks to map a lost leaf again.
 */
public final class LeafBuffer<K, V> {
  private final LeafFiles files;
  private final JobConf job;
  private final MapTask.MapOutputBuffer<K, V> buffer = new MapTask.MapOutputBuffer<>();

  /**
   * @param job the configuration of the chunk's mapper, which the combiner shares, as in a stock
   *     map task
   * @param sortMegabytes size of the sort buffer; the job's own setting is put back at once
   */
  public LeafBuffer(
      Task real,
      TaskAttemptID attempt,
      JobConf job,
      Task.TaskReporter reporter,
      LeafFiles files,
      int sortMegabytes)
      throws IOException, InterruptedException, ClassNotFoundException {
    this.files = files;
    this.job = job;
    Map<String, String> properties = new HashMap<>(LeafFileSystem.properties());
    properties.put(MRJobConfig.IO_SORT_MB, Integer.toString(sortMegabytes));
    with(
        properties,
        () ->
            buffer.init(
                new MapOutputCollector.Context(
                    new LeafMapTask(real, attempt, files), job, reporter)));
  }

  private interface Step {
    void run() throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Runs a step of the stock buffer under properties that are not the job's. */
  private void with(Map<String, String> properties, Step step)
      throws IOException, InterruptedException, ClassNotFoundException {
    Map<String, String> configured = new HashMap<>();
    properties.keySet().forEach(name -> configured.put(name, job.getRaw(name)));
    properties.forEach(job::set);
    try {
      step.run();
    } finally {
      configured.forEach(
          (name, value) -> {
            if (value == null) {
              job.unset(name);
            } else {
              job.set(name, value);
            }
          });
    }
  }

  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    buffer.collect(key, value, partition);
  }

  /** Sorts and writes what was collected; returns where each partition's run is. */
  public SpillRecord finish() throws IOException, InterruptedException, ClassNotFoundException {
    with(LeafFileSystem.properties(), buffer::flush);
    buffer.close();
    return new SpillRecord(files.getOutputIndexFile(), job);
  }

  /** Ends the buffer's spill thread after a failure. */
  void abandon() throws IOException, InterruptedException, ClassNotFoundException {
    buffer.flush();
  }

  LeafFiles files() {
    return files;
  }
}
