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
package org.freshet.mapreduce.run;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;

/**
 * A sorted key/value sequence of one partition in Hadoop's IFile format, readable by this task.
 * Lengths are in bytes; the stored length includes IFile's own checksum and any compression.
 */
public sealed interface Run {
  /** An IFile without a record holds two end markers of one byte each. */
  long EMPTY_RAW_LENGTH = 2;

  /** SHA-256 of the stored bytes. */
  Digest content();

  long storedLength();

  /** Length of the IFile data before compression, without the checksum. */
  long rawLength();

  /** Whether the run holds no record. */
  default boolean isEmpty() {
    return rawLength() <= EMPTY_RAW_LENGTH;
  }

  /** The stored bytes. */
  InputStream open() throws IOException;

  /** A run within a file that this task can seek in. */
  record InFile(
      Digest content, FileSystem fs, Path file, long offset, long storedLength, long rawLength)
      implements Run {
    @Override
    public InputStream open() throws IOException {
      FSDataInputStream in = fs.open(file);
      try {
        in.seek(offset);
      } catch (IOException | RuntimeException e) {
        in.close();
        throw e;
      }
      return new BoundedInput(in, storedLength);
    }
  }

  /** A run held in memory; the array may be longer than the run. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record InMemory(Digest content, byte[] bytes, long storedLength, long rawLength) implements Run {
    @Override
    public InputStream open() {
      return new ByteArrayInputStream(bytes, 0, (int) storedLength);
    }
  }
}
