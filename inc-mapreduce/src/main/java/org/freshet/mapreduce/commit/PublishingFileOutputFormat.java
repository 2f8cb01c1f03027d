package org.freshet.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Stands in for a file output format. Stock ReduceTask counts bytes written only for subclasses of FileOutputFormat. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class PublishingFileOutputFormat extends FileOutputFormat {
  @Override
  public RecordWriter getRecordWriter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    return OutputFormats.original(context.getConfiguration()).getRecordWriter(context);
  }

  @Override
  public void checkOutputSpecs(JobContext context) throws IOException {
    try {
      OutputFormats.original(context.getConfiguration()).checkOutputSpecs(context);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while checking the output", e);
    }
  }

  @Override
  public OutputCommitter getOutputCommitter(TaskAttemptContext context) throws IOException {
    try {
      return OutputFormats.committer(context);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making the output committer", e);
    }
  }
}
