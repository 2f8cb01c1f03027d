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
