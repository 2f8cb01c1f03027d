package org.freshet.mapreduce.reduce;

import java.util.Iterator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** The old API's twin of {@link ReusedReducer}. */
public final class OldReusedReducer implements Reducer<Object, Object, Object, Object> {
  @Override
  public void configure(JobConf job) {}

  @Override
  public void reduce(
      Object key,
      Iterator<Object> values,
      OutputCollector<Object, Object> output,
      Reporter reporter) {
    throw new IllegalStateException("a reused reduce was given a record");
  }

  @Override
  public void close() {}
}
