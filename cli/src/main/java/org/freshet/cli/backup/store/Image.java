package org.freshet.cli.backup.store;

import java.time.Instant;

/**
 * One backup of one thing: an image as it was when it was put. An immutable value.
 *
 * @param name of what was backed up
 * @param sequence counts the backups of that name, from 1
 * @param bytes its length
 * @param chunks how many chunks it is made of
 * @param created when it was put
 * @param id the SHA-256 of its references, and so a name of its content
 */
public record Image(
    String name, int sequence, long bytes, long chunks, Instant created, ChunkDigest id) {
  /** What a name may be, for people and for {@link #requireName}. */
  private static final String NAMES = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";

  /**
   * Returns the name.
   *
   * @throws IllegalArgumentException if it could not be that of a directory
   */
  public static String requireName(String name) {
    if (!name.matches(NAMES)) {
      throw new IllegalArgumentException(
          "an image cannot be named '"
              + name
              + "', expected up to 100 letters, digits, dots, hyphens and underscores, the first a"
              + " letter or digit");
    }
    return name;
  }
}
