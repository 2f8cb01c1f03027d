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
import java.util.Optional;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;

/**
 * An item with a score, the better one first: by descending score, equal scores by name. Mutable,
 * as Writables are.
 */
public final class ScoredItem implements Writable, Comparable<ScoredItem> {

  private String item = "";
  private long score;

  /** Makes an empty item, for Hadoop to fill. */
  public ScoredItem() {}

  ScoredItem(String item, long score) {
    this.item = item;
    this.score = score;
  }

  /** An item that stays when Hadoop refills this object with the next value. */
  ScoredItem copy() {
    return new ScoredItem(item, score);
  }

  /** Reads {@code item<TAB>integer}; empty if the text has another form. */
  static Optional<ScoredItem> parse(String text) {
    return KeyedNumber.parse(text).map(line -> new ScoredItem(line.key(), line.number()));
  }

  @Override
  public void write(DataOutput out) throws IOException {
    Text.writeString(out, item);
    out.writeLong(score);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    item = Text.readString(in);
    score = in.readLong();
  }

  @Override
  public int compareTo(ScoredItem other) {
    int byScore = Long.compare(other.score, score);
    return byScore != 0 ? byScore : item.compareTo(other.item);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ScoredItem that && compareTo(that) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * item.hashCode() + Long.hashCode(score);
  }

  @Override
  public String toString() {
    return item + "\t" + score;
  }
}
