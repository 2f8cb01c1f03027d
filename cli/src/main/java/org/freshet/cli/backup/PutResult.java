package org.freshet.cli.backup;

import org.freshet.cli.backup.store.Image;

/**
 * What it took to back up an image. An immutable value.
 *
 * @param image as the server committed it
 * @param sentChunks how many of its chunks were sent
 * @param sentChunkBytes their length together
 * @param wireBytes all that was sent to the server, with references and headers
 * @param seconds from the first byte read to the server's word that the image is on disk
 */
public record PutResult(
    Image image, long sentChunks, long sentChunkBytes, long wireBytes, double seconds) {
  /** Bytes of the image backed up in a second. */
  public double bandwidth() {
    return image.bytes() / seconds;
  }
}
