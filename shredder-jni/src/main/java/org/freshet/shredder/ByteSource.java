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
package org.freshet.shredder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;

/** Bytes that can be read more than once and from anywhere, such as a file's. */
public interface ByteSource {
  /** Number of bytes. The same at each call, even if the file behind it has changed. */
  long length();

  /**
   * A stream of its own over the bytes from {@code offset} on, which the caller closes. Called by
   * several threads at once when a source is chunked in parallel.
   *
   * @param offset 0 to {@link #length()}
   * @throws IOException if the source cannot be read; {@link java.io.EOFException} if it has become
   *     shorter than {@code offset}
   */
  InputStream open(long offset) throws IOException;

  /**
   * The same as {@link #open} for reading into buffers. To be overridden, together with {@link
   * #fillsDirectBuffers}, by sources that can fill a direct buffer without a copy.
   *
   * @param offset 0 to {@link #length()}
   * @throws IOException as of {@link #open}
   */
  default ReadableByteChannel openChannel(long offset) throws IOException {
    return new StreamChannel(open(offset));
  }

  /**
   * Whether {@link #openChannel} gives channels that fill direct buffers with less work than
   * arrays, as files do. Streams fill arrays.
   */
  default boolean fillsDirectBuffers() {
    return false;
  }

  /**
   * A file of the default or any other file system.
   *
   * @throws IOException if its length cannot be told
   */
  static ByteSource of(Path file) throws IOException {
    return new FileSource(file);
  }
}
