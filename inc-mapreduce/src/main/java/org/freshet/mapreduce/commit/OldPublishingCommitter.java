package org.freshet.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;

/**
 * The old API's committer for jobs that use stock FileOutputCommitter: the same, and after the job's
 * commit the publication of the run. It has to be a FileOutputCommitter, since old-API output formats
 * ask for that class by {@code instanceof}.
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
