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
package org.freshet.shredder.cuda;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import org.freshet.shredder.ByteSource;

/**
 * Content in memory, over and over up to some length: a source that can be read as fast as memory
 * can be copied.
 *
 * @param content from its first byte to its capacity; at least one byte
 * @param length of the source
 */
record MemorySource(ByteBuffer content, long length) implements ByteSource {
  @Override
  public InputStream open(long offset) {
    return Channels.newInputStream(openChannel(offset));
  }

  @Override
  public ReadableByteChannel openChannel(long offset) {
    return new Reader(offset);
  }

  @Override
  public boolean fillsDirectBuffers() {
    return true;
  }

  private final class Reader implements ReadableByteChannel {
    private long position;
    private boolean open = true;

    Reader(long offset) {
      this.position = offset;
    }

    @Override
    public int read(ByteBuffer into) {
      if (position == length) {
        return -1;
      }
      int from = (int) (position % content.capacity());
      int available = (int) Math.min(content.capacity() - from, length - position);
      int count = Math.min(into.remaining(), available);
      into.put(content.slice(from, count));
      position += count;
      return count;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }
  }
}
