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

import java.util.Locale;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** Sort comparators other than the key's natural order. */
@SuppressWarnings("rawtypes")
public final class SortOrders {
  private SortOrders() {}

  private abstract static class Descending extends WritableComparator {
    private final WritableComparator natural;

    Descending(Class<? extends WritableComparable> keys) {
      super(keys, true);
      natural = WritableComparator.get(keys);
    }

    @Override
    public int compare(WritableComparable a, WritableComparable b) {
      return natural.compare(b, a);
    }

    @Override
    public int compare(byte[] a, int aStart, int aLength, byte[] b, int bStart, int bLength) {
      return natural.compare(b, bStart, bLength, a, aStart, aLength);
    }
  }

  /** Text, from high to low. */
  public static final class DescendingText extends Descending {
    /** Made by Hadoop, by reflection. */
    public DescendingText() {
      super(Text.class);
    }
  }

  /** Long integers, from high to low. */
  public static final class DescendingLong extends Descending {
    /** Made by Hadoop, by reflection. */
    public DescendingLong() {
      super(LongWritable.class);
    }
  }

  /** Byte strings, from high to low. */
  public static final class DescendingBytes extends Descending {
    /** Made by Hadoop, by reflection. */
    public DescendingBytes() {
      super(BytesWritable.class);
    }
  }

  /** Pairs, from high to low in both parts. */
  public static final class DescendingPair extends Descending {
    /** Made by Hadoop, by reflection. */
    public DescendingPair() {
      super(WordPair.class);
    }
  }

  /** Text without regard to case: keys that differ in case only are one group. */
  public static final class CaseInsensitiveText extends WritableComparator {
    /** Made by Hadoop, by reflection. */
    public CaseInsensitiveText() {
      super(Text.class, true);
    }

    @Override
    public int compare(WritableComparable a, WritableComparable b) {
      return a.toString().toLowerCase(Locale.ROOT).compareTo(b.toString().toLowerCase(Locale.ROOT));
    }
  }
}
