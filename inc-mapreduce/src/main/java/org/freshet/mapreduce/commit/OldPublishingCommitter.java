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
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;

/**
 * The old API's committer for jobs that use stock FileOutputCommitter: the same, and after the
 * job's commit the publication of the run. It has to be a FileOutputCommitter, since old-API output
 * formats ask for that class by {@code instanceof}.
 */
public final class OldPublishingCommitter extends FileOutputCommitter {
  @Override
  public void commitJob(JobContext context) throws IOException {
    super.commitJob(context);
    RunPublisher.committed(context.getConfiguration());
  }

  @Override
  public void abortJob(JobContext context, int runState) throws IOException {
    try {
      super.abortJob(context, runState);
    } finally {
      RunPublisher.aborted(context.getConfiguration());
    }
  }
}
