package org.freshet.mapreduce.map;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * A batch as a split of the new API. It extends FileSplit only so that stock MapTask finds the file
 * system whose statistics give the counter of bytes read.
 */
public final class BatchSplit extends FileSplit {
  private final Batch batch;

  /** For deserialization. */
  public BatchSplit() {
    batch = new Batch();
  }

  public BatchSplit(Batch batch, Path first, String[] hosts) {
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
