package org.freshet.cli.bench.chunking;

import org.freshet.shredder.ChunkerConfig;

/** The configurations that are compared: chunks of 4, 8 and 32 KiB at least, in the mean, at most. */
enum Rules {
  GEAR,
  RABIN;

  static final int MIN = 4 << 10;
  static final int AVERAGE = 8 << 10;
  static final int MAX = 32 << 10;

  /** Cuts at any byte, every 4 KiB after the minimum. */
  ChunkerConfig config() {
    // A marker other than 0, so that zeros are no run of candidates.
    return switch (this) {
      case GEAR -> ChunkerConfig.of(MIN, AVERAGE, MAX);
      case RABIN ->
          ChunkerConfig.builder().rabin().averageSize(AVERAGE).maxSize(MAX).marker(0x78).build();
    };
  }

  /** For people. */
  String title() {
    return this == GEAR ? "Gear" : "Rabin-48";
  }
}
