package org.freshet.mapreduce.map;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;

/** A batch as a split of the old API. */
public final class OldBatchSplit extends FileSplit {
  private final Batch batch;

  /** For deserialization. */
  public OldBatchSplit() {
    super();
    batch = new Batch();
  }

  public OldBatchSplit(Batch batch, Path first, String[] hosts) {
    super(first, 0, batch.length(), hosts);
    this.batch = batch;
  }

  public Batch batch() {
    return batch;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    super.write(out);
    batch.write(out);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    super.readFields(in);
    batch.readFields(in);
  }

  @Override
  public String toString() {
    return batch.toString();
  }
}
