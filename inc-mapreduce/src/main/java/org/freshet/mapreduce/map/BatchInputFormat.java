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
