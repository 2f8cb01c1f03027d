package org.freshet.mapreduce.map;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Bytes that this process has read from file systems of a scheme, as stock MapTask adds them up. */
final class BytesRead {
  private BytesRead() {}

  @SuppressWarnings("deprecation")
  static long of(Path path) {
    String scheme = path.toUri().getScheme();
    long sum = 0;
    for (FileSystem.Statistics statistics : FileSystem.getAllStatistics()) {
      if (scheme != null && scheme.equals(statistics.getScheme())) {
        sum += statistics.getBytesRead();
      }
    }
    return sum;
  }
}
