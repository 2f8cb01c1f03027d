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
package org.freshet.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.freshet.mapreduce.submit.JobRewrite;

/** What the two stand-ins for a new-API output format share. */
final class OutputFormats {
  private OutputFormats() {}

  @SuppressWarnings("rawtypes")
  static OutputFormat original(Configuration conf) {
    return JobRewrite.newOutputFormat(conf);
  }

  /** The original committer; where a whole job is committed, with the publication behind it. */
  static OutputCommitter committer(TaskAttemptContext context)
      throws IOException, InterruptedException {
    Configuration conf = context.getConfiguration();
    OutputCommitter committer = original(conf).getOutputCommitter(context);
    // Tasks have their attempt's id in the configuration; the application master has not.
    boolean task = conf.get(MRJobConfig.TASK_ATTEMPT_ID) != null;
    return task ? committer : new PublishingCommitter(committer);
  }
}
