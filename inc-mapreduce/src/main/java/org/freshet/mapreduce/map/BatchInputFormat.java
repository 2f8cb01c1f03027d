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
import java.util.List;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.freshet.mapreduce.plan.JobPlanner;

/** The input format of a delta job of the new API: batches of the chunks that must be mapped. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class BatchInputFormat extends InputFormat {
  @Override
  public List<InputSplit> getSplits(JobContext job) throws IOException, InterruptedException {
    return (List<InputSplit>) JobPlanner.planNewApi(job);
  }

  @Override
  public RecordReader createRecordReader(InputSplit split, TaskAttemptContext context) {
    return new BatchRecordReader();
  }
}
