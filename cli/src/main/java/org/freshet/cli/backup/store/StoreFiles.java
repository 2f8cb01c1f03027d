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
package org.freshet.cli.backup.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Reading, writing and publishing whole things, none of which the JDK does in one call. */
final class StoreFiles {
  private StoreFiles() {}

  /** Writes all that is left in the buffers. */
  static void writeFully(FileChannel channel, ByteBuffer... buffers) throws IOException {
    long left = 0;
    for (ByteBuffer buffer : buffers) {
      left += buffer.remaining();
    }
    while (left > 0) {
      left -= channel.write(buffers);
    }
  }

  /** Fills the buffer from {@code offset} on. */
  static void readFully(FileChannel channel, long offset, ByteBuffer into) throws IOException {
    long position = offset;
    while (into.hasRemaining()) {
      int read = channel.read(into, position);
      if (read < 0) {
        throw new EOFException("the file ends at " + position);
      }
      position += read;
    }
  }

  /** Makes a whole, forced file visible under its name, and the name durable. */
  static void publish(Path whole, Path name) throws IOException {
    Files.move(whole, name, StandardCopyOption.ATOMIC_MOVE);
    forceDirectory(name.getParent());
  }

  /** Makes the names in a directory durable. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
