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
package org.freshet.it.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** A composite key of a word and a number, ordered by the word and then by the number. Mutable. */
public final class WordPair implements WritableComparable<WordPair> {
  private final Text word = new Text();
  private int number;

  /** Replaces both parts. */
  public void set(String newWord, int newNumber) {
    word.set(newWord);
    number = newNumber;
  }

  /** The word; owned by this key and overwritten by the next read. */
  public Text word() {
    return word;
  }

  /** The number. */
  public int number() {
    return number;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    word.write(out);
    out.writeInt(number);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    word.readFields(in);
    number = in.readInt();
  }

  @Override
  public int compareTo(WordPair other) {
    int byWord = word.compareTo(other.word);
    return byWord != 0 ? byWord : Integer.compare(number, other.number);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WordPair pair && compareTo(pair) == 0;
  }

  @Override
  public int hashCode() {
    return Objects.hash(word, number);
  }

  @Override
  public String toString() {
    return word + "#" + number;
  }

  /** Groups the pairs of one word into one reduce call: a secondary sort by number. */
  public static final class ByWord extends WritableComparator {
    /** Made by Hadoop, by reflection. */
    public ByWord() {
      super(WordPair.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable a, WritableComparable b) {
      return ((WordPair) a).word.compareTo(((WordPair) b).word);
    }
  }
}
