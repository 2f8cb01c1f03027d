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

/** How many numbers there were and what they sum up to. Mutable, as Writables are. */
public final class SumCount implements Writable {

  private long sum;
  private long count;

  /** Makes an empty sum. */
  public SumCount() {}

  SumCount(long sum, long count) {
    set(sum, count);
  }

  void set(long newSum, long newCount) {
    sum = newSum;
    count = newCount;
  }

  /** Adds in another sum; integers, so that any order gives the same. */
  void add(SumCount other) {
    sum = Math.addExact(sum, other.sum);
    count += other.count;
  }

  /** The mean. @throws ArithmeticException if there were no numbers */
  double mean() {
    if (count == 0) {
      throw new ArithmeticException("the mean of no numbers");
    }
    return (double) sum / count;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeLong(sum);
    out.writeLong(count);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    sum = in.readLong();
    count = in.readLong();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SumCount that && sum == that.sum && count == that.count;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(sum) + Long.hashCode(count);
  }

  @Override
  public String toString() {
    return sum + "/" + count;
  }
}
