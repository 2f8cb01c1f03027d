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
