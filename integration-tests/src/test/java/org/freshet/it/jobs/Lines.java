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

import java.nio.ByteBuffer;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;

/** What the mappers take from a line or a record. Pure functions. */
final class Lines {
  private Lines() {}

  /** The text before the first blank; empty for an empty line. */
  static String firstWord(Text line) {
    String text = line.toString();
    int blank = text.indexOf(' ');
    return blank < 0 ? text : text.substring(0, blank);
  }

  /** The first two bytes in hexadecimal; fewer where there are fewer. */
  static String prefix(BytesWritable record) {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < Math.min(2, record.getLength()); i++) {
      hex.append(String.format("%02x", record.getBytes()[i]));
    }
    return hex.toString();
  }

  /** The bytes of an Avro record with a field {@code data}. */
  static BytesWritable data(GenericRecord datum) {
    ByteBuffer data = ((ByteBuffer) datum.get("data")).duplicate();
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    return new BytesWritable(bytes);
  }

  /** A key of at most one byte, so that groups are large. */
  static byte[] bucket(byte[] bytes, int length) {
    return length == 0 ? new byte[0] : new byte[] {(byte) (bytes[length / 2] & 0x1f)};
  }

  /** The record repeated to some kilobytes; null for the seven in eight that stay out. */
  static byte[] expand(byte[] bytes, int length) {
    int hash = 1;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + bytes[i];
    }
    if (length == 0 || (hash & 7) != 0) {
      return null;
    }
    byte[] big = new byte[512 + ((hash >>> 4) & 0x1fff)];
    for (int at = 0; at < big.length; at += length) {
      System.arraycopy(bytes, 0, big, at, Math.min(length, big.length - at));
    }
    return big;
  }
}
