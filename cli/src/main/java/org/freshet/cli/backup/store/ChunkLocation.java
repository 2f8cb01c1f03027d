package org.freshet.cli.backup.store;

/**
 * Where a chunk's content lies.
 *
 * @param pack number of the pack file
 * @param offset of the content in it
 * @param length of the content in bytes
 */
record ChunkLocation(int pack, long offset, int length) {
  /** Offset behind the content. */
  long end() {
    return offset + length;
  }
}
