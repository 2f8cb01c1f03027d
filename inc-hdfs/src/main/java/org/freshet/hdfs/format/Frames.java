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

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Follows the structure of a container file behind its header, byte by byte: finds each copy of the
 * file's random marker where the structure has one, masks it, and notes the boundary behind it. For
 * one pass over one file.
 */
abstract class Frames {
  /** Length of the random marker in bytes, in SequenceFile and in Avro. */
  static final int MARKER_BYTES = 16;

  private final byte[] marker;
  private final LongConsumer boundaries;

  /** Where markers end of which bytes were masked last. */
  private final List<Long> masked = new ArrayList<>();

  /** Offset of the byte looked at next, counted from the end of the header or as told. */
  private long position;

  /** Bytes that mean nothing to the structure and come next. */
  private long toSkip;

  /** How many bytes of the marker were seen; -1 outside of it. */
  private int inMarker = -1;

  /**
   * @param marker as the header has it
   * @param boundaries is told of each boundary, ascending, before the bytes in front of it are
   *     handed on
   */
  Frames(byte[] marker, LongConsumer boundaries) {
    this.marker = marker;
    this.boundaries = boundaries;
  }

  /**
   * Counts from another offset than the header's end.
   *
   * @param offset of the next byte, which follows the header or a marker
   * @param behindMarker whether it follows a marker in the body
   */
  final void goOn(long offset, boolean behindMarker) {
    position = offset;
    if (behindMarker) {
      afterMarker();
    }
  }

  /** Offset of the next byte. */
  final long position() {
    return position;
  }

  /**
   * Where the markers end of which the last {@link #accept} masked bytes, ascending; the last one's
   * end may be still to come.
   */
  final List<Long> masked() {
    return masked;
  }

  /**
   * Looks at the next bytes, and masks what belongs to markers.
   *
   * @throws NotCuttableException if they are not what this kind of file has there
   */
  final void accept(byte[] bytes, int from, int to) throws NotCuttableException {
    masked.clear();
    int at = from;
    while (at < to) {
      if (toSkip > 0) {
        int skipped = (int) Math.min(toSkip, to - at);
        toSkip -= skipped;
        position += skipped;
        at += skipped;
      } else {
        position++;
        if (inMarker >= 0) {
          bytes[at] = masked(bytes[at]);
        } else {
          field(bytes[at]);
        }
        at++;
      }
    }
  }

  private byte masked(byte value) throws NotCuttableException {
    if (value != marker[inMarker]) {
      throw new NotCuttableException("no sync marker where one must be, near " + position);
    }
    long end = position + MARKER_BYTES - 1 - inMarker;
    if (masked.isEmpty() || masked.get(masked.size() - 1) != end) {
      masked.add(end);
    }
    inMarker++;
    if (inMarker == MARKER_BYTES) {
      inMarker = -1;
      boundaries.accept(position);
      afterMarker();
    }
    return 0;
  }

  /**
   * Says that the file ends here.
   *
   * @throws NotCuttableException if it must not
   */
  final void end() throws NotCuttableException {
    if (toSkip > 0 || inMarker >= 0 || !mayEnd()) {
      throw new NotCuttableException("it ends within a record or block, at " + position);
    }
  }

  /** Takes one byte of a field: of anything but markers and bytes to skip. */
  abstract void field(byte value) throws NotCuttableException;

  /** Says that a marker is complete. */
  abstract void afterMarker();

  /** Whether the file may end where it is, between fields. */
  abstract boolean mayEnd();

  final void skip(long bytes) {
    toSkip = bytes;
  }

  final void expectMarker() {
    inMarker = 0;
  }

  final NotCuttableException wrong(String what, long value) {
    return new NotCuttableException(what + " of " + value + " near " + position);
  }
}
