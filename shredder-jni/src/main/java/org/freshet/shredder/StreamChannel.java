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
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;

/**
 * A stream as a channel that reads straight into heap buffers, in pieces as large as asked for: the
 * JDK's own adapter copies every byte, 8 KiB at a time. For one thread.
 */
final class StreamChannel implements ReadableByteChannel {
  private static final int COPY_BYTES = 64 << 10;

  private final InputStream in;
  private byte[] copy;
  private boolean open = true;

  StreamChannel(InputStream in) {
    this.in = in;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (!open) {
      throw new ClosedChannelException();
    }
    int wanted = into.remaining();
    if (into.hasArray()) {
      int read = in.read(into.array(), into.arrayOffset() + into.position(), wanted);
      into.position(into.position() + Math.max(0, read));
      return read;
    }
    if (copy == null) {
      copy = new byte[Math.min(wanted, COPY_BYTES)];
    }
    int read = in.read(copy, 0, Math.min(wanted, copy.length));
    into.put(copy, 0, Math.max(0, read));
    return read;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    open = false;
    in.close();
  }
}
