package org.freshet.cli.backup;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.freshet.shredder.ByteSource;

/**
 * An image in memory.
 *
 * @param bytes its content, which nobody may change
 */
record MemoryImage(byte[] bytes) implements ByteSource {
  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public InputStream open(long offset) {
    return new ByteArrayInputStream(bytes, (int) offset, bytes.length - (int) offset);
  }
}
