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
