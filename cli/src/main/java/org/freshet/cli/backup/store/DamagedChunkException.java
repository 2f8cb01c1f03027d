package org.freshet.cli.backup.store;

import java.io.IOException;

/** A chunk that a store should have is not there, or is not what its digest says. */
public final class DamagedChunkException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With the chunk, and what was found in its place. */
  public DamagedChunkException(ChunkDigest digest, String found) {
    super("chunk " + digest + " " + found + "; put an image that holds it to store it again");
  }
}
