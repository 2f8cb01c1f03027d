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
package org.freshet.hdfs.format;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.apache.hadoop.io.WritableUtils;

/**
 * Hadoop's SequenceFile of version 6, which is what Hadoop has written since 2008, uncompressed,
 * with compressed records or with compressed blocks. A header says which, and gives the classes of
 * keys and values, the codec and the user's metadata. Written against {@code SequenceFile.Reader}
 * of Hadoop 3.5.0.
 */
final class SequenceFileFormat extends FramedFormat {
  /** In front of a marker where a record's length would be, or at the beginning of a block. */
  private static final int ESCAPE = -1;

  private static final int ESCAPE_BYTES = 4;
  private static final byte[] MAGIC = {'S', 'E', 'Q', 6};

  @Override
  public String name() {
    return "sequence-file";
  }

  @Override
  byte[] magic() {
    return MAGIC.clone();
  }

  @Override
  public int splitLag() {
    return ESCAPE_BYTES + Frames.MARKER_BYTES;
  }

  @Override
  Frames header(HeaderReader in, LongConsumer boundaries) throws IOException {
    if (!java.util.Arrays.equals(in.bytes(MAGIC.length), MAGIC)) {
      throw new NotCuttableException("it is no SequenceFile of version 6");
    }
    skipText(in);
    skipText(in);
    boolean compressed = in.read(DataInputStream::readBoolean);
    boolean blocks = in.read(DataInputStream::readBoolean);
    if (compressed) {
      skipText(in);
    }
    int metadata = in.read(DataInputStream::readInt);
    if (metadata < 0 || (blocks && !compressed)) {
      throw new NotCuttableException("its header contradicts itself");
    }
    for (int i = 0; i < metadata; i++) {
      skipText(in);
      skipText(in);
    }
    byte[] marker = in.bytes(Frames.MARKER_BYTES);
    return blocks ? new Blocks(marker, boundaries) : new Records(marker, boundaries);
  }

  private static void skipText(HeaderReader in) throws IOException {
    in.bytes(in.read(WritableUtils::readVLong));
  }

  /** Length of key and value, length of the key, both; before some of them a marker. */
  private static final class Records extends Frames {
    private int length;
    private int keyLength;

    /** Bytes seen of the two lengths. */
    private int bytes;

    private boolean afterMarker;

    Records(byte[] marker, LongConsumer boundaries) {
      super(marker, boundaries);
    }

    @Override
    void field(byte value) throws NotCuttableException {
      if (bytes < Integer.BYTES) {
        length = length << 8 | value & 0xFF;
      } else {
        keyLength = keyLength << 8 | value & 0xFF;
      }
      bytes++;
      if (bytes == Integer.BYTES && length < 0) {
        // A reader takes a second escape for the end of the file.
        if (length != ESCAPE || afterMarker) {
          throw wrong("a record length", length);
        }
        expectMarker();
      } else if (bytes == 2 * Integer.BYTES) {
        if (keyLength < 0 || keyLength > length) {
          throw wrong("a key length", keyLength);
        }
        skip(length);
        bytes = 0;
        afterMarker = false;
      }
    }

    @Override
    void afterMarker() {
      bytes = 0;
      afterMarker = true;
    }

    @Override
    boolean mayEnd() {
      return bytes == 0;
    }
  }

  /** Escape, marker, number of records, and four buffers with their lengths. */
  private static final class Blocks extends Frames {
    private static final int BUFFERS = 4;

    private int escapeBytes;

    /** Lengths still to come before the next block; the first is the number of records. */
    private int lengths;

    private final byte[] vint = new byte[5];
    private int vintBytes;

    Blocks(byte[] marker, LongConsumer boundaries) {
      super(marker, boundaries);
    }

    @Override
    void field(byte value) throws NotCuttableException {
      if (lengths > 0) {
        length(value);
        return;
      }
      if (value != (byte) ESCAPE) {
        throw wrong("a block that begins with a byte", value);
      }
      escapeBytes++;
      if (escapeBytes == ESCAPE_BYTES) {
        escapeBytes = 0;
        expectMarker();
      }
    }

    private void length(byte value) throws NotCuttableException {
      vint[vintBytes++] = value;
      int size = WritableUtils.decodeVIntSize(vint[0]);
      if (size > vint.length || WritableUtils.isNegativeVInt(vint[0])) {
        throw wrong("a length that begins with a byte", vint[0]);
      }
      if (vintBytes < size) {
        return;
      }
      int length = size == 1 ? vint[0] : 0;
      for (int i = 1; i < size; i++) {
        length = length << 8 | vint[i] & 0xFF;
      }
      boolean records = lengths == BUFFERS + 1;
      // A reader that is given a block of no records goes on to read one.
      if (length < (records ? 1 : 0)) {
        throw wrong(records ? "a number of records" : "a length", length);
      }
      vintBytes = 0;
      lengths--;
      if (!records) {
        skip(length);
      }
    }

    @Override
    void afterMarker() {
      lengths = BUFFERS + 1;
    }

    @Override
    boolean mayEnd() {
      return lengths == 0 && escapeBytes == 0;
    }
  }
}
