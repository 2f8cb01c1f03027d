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
