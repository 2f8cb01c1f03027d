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
package org.freshet.cli.chunk;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.freshet.shredder.ByteSource;

/** A source that tells how much of it was read. */
public final class WatchedSource implements ByteSource {
  private final ByteSource source;
  private final Progress progress;

  /** Watches another source. */
  public WatchedSource(ByteSource source, Progress progress) {
    this.source = source;
    this.progress = progress;
  }

  @Override
  public long length() {
    return source.length();
  }

  @Override
  public InputStream open(long offset) throws IOException {
    return watch(source.open(offset), progress);
  }

  @Override
  public boolean fillsDirectBuffers() {
    return source.fillsDirectBuffers();
  }

  @Override
  public ReadableByteChannel openChannel(long offset) throws IOException {
    ReadableByteChannel channel = source.openChannel(offset);
    return new ReadableByteChannel() {
      @Override
      public int read(ByteBuffer into) throws IOException {
        int read = channel.read(into);
        progress.add(Math.max(0, read));
        return read;
      }

      @Override
      public boolean isOpen() {
        return channel.isOpen();
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  /** A stream that tells how much of it was read. */
  public static InputStream watch(InputStream stream, Progress progress) {
    return new FilterInputStream(stream) {
      @Override
      public int read() throws IOException {
        int read = in.read();
        progress.add(read < 0 ? 0 : 1);
        return read;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = in.read(bytes, offset, length);
        progress.add(Math.max(0, read));
        return read;
      }
    };
  }
}
