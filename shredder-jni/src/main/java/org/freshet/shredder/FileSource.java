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
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file, as long as it was when this was made. */
final class FileSource implements ByteSource {
  private final Path file;
  private final long length;

  FileSource(Path file) throws IOException {
    this.file = file;
    this.length = Files.size(file);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public InputStream open(long offset) throws IOException {
    return Channels.newInputStream(openChannel(offset));
  }

  @Override
  public SeekableByteChannel openChannel(long offset) throws IOException {
    SeekableByteChannel channel = Files.newByteChannel(file);
    try {
      return channel.position(offset);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public boolean fillsDirectBuffers() {
    return true;
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
