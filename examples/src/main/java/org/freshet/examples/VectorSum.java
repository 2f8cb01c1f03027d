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
package org.freshet.examples;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;

/** The sum of a number of vectors of one dimension. Mutable, as Writables are. */
public final class VectorSum implements Writable {

  private double[] sum = new double[0];
  private long count;

  /** Makes the sum of no vectors. */
  public VectorSum() {}

  /** Makes this the sum of one vector, which it keeps. */
  void setSingle(double[] vector) {
    sum = vector;
    count = 1;
  }

  /** Adds in another sum. @throws IllegalArgumentException if it has another dimension */
  void add(VectorSum other) {
    if (count == 0) {
      sum = new double[other.sum.length];
    }
    if (sum.length != other.sum.length) {
      throw new IllegalArgumentException(
          "cannot add vectors of dimensions " + sum.length + " and " + other.sum.length);
    }
    for (int i = 0; i < sum.length; i++) {
      sum[i] += other.sum[i];
    }
    count += other.count;
  }

  double[] mean() {
    double[] mean = new double[sum.length];
    for (int i = 0; i < mean.length; i++) {
      mean[i] = sum[i] / count;
    }
    return mean;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeLong(count);
    out.writeInt(sum.length);
    for (double each : sum) {
      out.writeDouble(each);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    count = in.readLong();
    sum = new double[in.readInt()];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = in.readDouble();
    }
  }
}
