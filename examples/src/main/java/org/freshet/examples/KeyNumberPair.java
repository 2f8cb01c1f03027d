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
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;

/** A key with a number, ordered by key and then by number. Mutable, as Writables are. */
public final class KeyNumberPair implements WritableComparable<KeyNumberPair> {

  private final Text key = new Text();
  private long number;

  /** Makes an empty pair, for Hadoop to fill. */
  public KeyNumberPair() {}

  KeyNumberPair(String key, long number) {
    set(key, number);
  }

  void set(String newKey, long newNumber) {
    key.set(newKey);
    number = newNumber;
  }

  Text key() {
    return key;
  }

  long number() {
    return number;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    key.write(out);
    out.writeLong(number);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    key.readFields(in);
    number = in.readLong();
  }

  @Override
  public int compareTo(KeyNumberPair other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : Long.compare(number, other.number);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyNumberPair pair && compareTo(pair) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Long.hashCode(number);
  }

  @Override
  public String toString() {
    return key + "\t" + number;
  }
}
