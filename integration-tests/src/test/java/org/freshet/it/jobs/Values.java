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

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** What the reducers do with values of any type. Pure functions. */
final class Values {
  private static final int SHOWN = 8;

  private Values() {}

  /** The value as an integer. */
  static long number(Writable value) {
    if (value instanceof IntWritable i) {
      return i.get();
    }
    if (value instanceof LongWritable l) {
      return l.get();
    }
    if (value instanceof DoubleWritable d) {
      return (long) d.get();
    }
    throw new IllegalArgumentException("expected a number, found " + value.getClass());
  }

  /** The number in a value of the same type as {@code like}. */
  static Writable number(Writable like, long number) {
    if (like instanceof IntWritable) {
      return new IntWritable((int) number);
    }
    if (like instanceof LongWritable) {
      return new LongWritable(number);
    }
    return new DoubleWritable(number);
  }

  /** A copy that the iterator will not overwrite. */
  static <W extends Writable> W copy(W value, Configuration conf) {
    return WritableUtils.clone(value, conf);
  }

  /** The value as one line of text; long ones are named by length and digest. */
  static String show(Writable value) {
    if (value instanceof BytesWritable bytes) {
      return bytes.getLength() + ":" + digest(bytes.copyBytes());
    }
    String text = value.toString();
    return text.length() <= 40
        ? text
        : text.length() + ":" + digest(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The first few values, then the number of all and their digest. */
  static String show(Collection<String> values) {
    String all = String.join(",", values);
    return values.size() <= SHOWN
        ? all
        : String.join(",", values.stream().limit(SHOWN).toList())
            + "... "
            + values.size()
            + ":"
            + digest(all.getBytes(StandardCharsets.UTF_8));
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
