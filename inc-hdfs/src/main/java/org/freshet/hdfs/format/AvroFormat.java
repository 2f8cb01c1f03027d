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
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Avro's object container files. The header has the writer's schema, the codec and what the user
 * added; behind it come blocks of records, each with its number of records, its length and the
 * marker. Written against the Avro 1.11 specification and {@code DataFileReader} of Avro 1.11.5.
 */
final class AvroFormat extends FramedFormat {
  private static final byte[] MAGIC = {'O', 'b', 'j', 1};

  /** Files of Avro 1.5.4 for C have it; the reader goes another way then. */
  private static final byte[] MARKER_IN_METADATA =
      "avro.sync".getBytes(java.nio.charset.StandardCharsets.UTF_8);

  @Override
  public String name() {
    return "avro";
  }

  @Override
  byte[] magic() {
    return MAGIC.clone();
  }

  @Override
  public int splitLag() {
    return Frames.MARKER_BYTES;
  }

  @Override
  Frames header(HeaderReader in, LongConsumer boundaries) throws IOException {
    if (!Arrays.equals(in.bytes(MAGIC.length), MAGIC)) {
      throw new NotCuttableException("it is no Avro container file");
    }
    for (long entries = in.read(AvroFormat::readLong);
        entries != 0;
        entries = in.read(AvroFormat::readLong)) {
      if (entries < 0) {
        in.read(AvroFormat::readLong);
        entries = -entries;
      }
      for (long i = 0; i < entries; i++) {
        byte[] key = in.bytes(in.read(AvroFormat::readLong));
        if (Arrays.equals(key, MARKER_IN_METADATA)) {
          throw new NotCuttableException("its metadata hold a sync marker");
        }
        in.bytes(in.read(AvroFormat::readLong));
      }
    }
    return new Blocks(in.bytes(Frames.MARKER_BYTES), boundaries);
  }

  private static long readLong(DataInputStream in) throws IOException {
    VarLong value = new VarLong();
    while (!value.accept(in.readByte())) {
      // Each byte but the last says that there is another.
    }
    return value.take();
  }

  /** Avro's long: seven bits a byte, the lowest first, zig-zag coded. For reuse. */
  private static final class VarLong {
    private static final int MOST_BYTES = 10;

    private long bits;
    private int bytes;

    /** Takes a byte and says whether it was the last. */
    boolean accept(byte value) throws NotCuttableException {
      if (bytes == MOST_BYTES) {
        throw new NotCuttableException("a number of more than " + MOST_BYTES + " bytes");
      }
      bits |= (value & 0x7FL) << (7 * bytes);
      bytes++;
      return value >= 0;
    }

    boolean isBegun() {
      return bytes > 0;
    }

    long take() {
      long value = bits >>> 1 ^ -(bits & 1);
      bits = 0;
      bytes = 0;
      return value;
    }
  }

  private static final class Blocks extends Frames {
    private final VarLong number = new VarLong();
    private boolean inLength;

    Blocks(byte[] marker, LongConsumer boundaries) {
      super(marker, boundaries);
    }

    @Override
    void field(byte value) throws NotCuttableException {
      if (!number.accept(value)) {
        return;
      }
      long taken = number.take();
      if (inLength) {
        if (taken < 0 || taken > Integer.MAX_VALUE) {
          throw wrong("a block length", taken);
        }
        inLength = false;
        skip(taken);
        expectMarker();
      } else if (taken < 1) {
        // A reader takes a block of no records for the end of the file.
        throw wrong("a number of records", taken);
      } else {
        inLength = true;
      }
    }

    @Override
    void afterMarker() {}

    @Override
    boolean mayEnd() {
      return !inLength && !number.isBegun();
    }
  }
}
