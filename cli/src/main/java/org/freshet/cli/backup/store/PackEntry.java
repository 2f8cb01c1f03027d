package org.freshet.cli.backup.store;

/**
 * One line of a pack's index.
 *
 * @param digest of the chunk
 * @param offset of the content in the pack
 * @param length of the content in bytes
 */
record PackEntry(ChunkDigest digest, long offset, int length) {
  long end() {
    return offset + length;
  }
}
