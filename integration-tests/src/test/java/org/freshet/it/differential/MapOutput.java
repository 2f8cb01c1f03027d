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
package org.freshet.it.differential;

import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.freshet.it.jobs.SortOrders;
import org.freshet.it.jobs.WordPair;

/** The key and value types between Map and Reduce. */
enum MapOutput {
  TEXT_INT(Text.class, IntWritable.class, SortOrders.DescendingText.class),
  TEXT_LONG(Text.class, LongWritable.class, SortOrders.DescendingText.class),
  TEXT_TEXT(Text.class, Text.class, SortOrders.DescendingText.class),
  PAIR_LONG(WordPair.class, LongWritable.class, SortOrders.DescendingPair.class),
  LONG_DOUBLE(LongWritable.class, DoubleWritable.class, SortOrders.DescendingLong.class),
  BYTES_BYTES(BytesWritable.class, BytesWritable.class, SortOrders.DescendingBytes.class);

  final Class<? extends Writable> key;
  final Class<? extends Writable> value;
  final Class<? extends RawComparator<?>> descending;

  @SuppressWarnings("unchecked")
  MapOutput(Class<? extends Writable> key, Class<? extends Writable> value, Class<?> descending) {
    this.key = key;
    this.value = value;
    this.descending = (Class<? extends RawComparator<?>>) descending;
  }

  boolean numeric() {
    return this != TEXT_TEXT && this != BYTES_BYTES;
  }

  boolean textKey() {
    return key == Text.class;
  }
}
