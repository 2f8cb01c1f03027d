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
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.freshet.mapreduce.plan.JobPlanner;

/** The input format of a delta job of the old API. */
@SuppressWarnings("rawtypes")
public final class OldBatchInputFormat implements InputFormat {
  @Override
  public InputSplit[] getSplits(JobConf job, int wantedSplits) throws IOException {
    return JobPlanner.planOldApi(job, wantedSplits);
  }

  @Override
  public RecordReader getRecordReader(InputSplit split, JobConf job, Reporter reporter) {
    return new OldBatchRecordReader((OldBatchSplit) split, job);
  }
}
