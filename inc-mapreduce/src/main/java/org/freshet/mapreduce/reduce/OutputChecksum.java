/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.mapreduce.reduce;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.StringUtils;
import org.freshet.slider.Digest;

/**
 * A text that tells whether a file's content is what it was: the file system's own checksum where
 * it has one (HDFS: computed where the blocks are, no data is moved), else SHA-256 of the bytes.
 */
final class OutputChecksum {
  private OutputChecksum() {}

  static String of(FileSystem fs, Path file, Progressable progress) throws IOException {
    FileChecksum checksum = fs.getFileChecksum(file);
    if (checksum != null) {
      return checksum.getAlgorithmName() + ":" + StringUtils.byteToHexString(checksum.getBytes());
    }
    MessageDigest sha = Digest.newSha256();
    byte[] buffer = new byte[128 << 10];
    try (InputStream in = fs.open(file)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        sha.update(buffer, 0, n);
        progress.progress();
      }
    }
    return "SHA-256:" + Digest.finish(sha).hex();
  }

  /** Whether a file exists with this length and checksum. */
  static boolean matches(
      FileSystem fs, Path file, PartitionRecord.OutputFile expected, Progressable progress)
      throws IOException {
    try {
      return fs.getFileStatus(file).getLen() == expected.length()
          && of(fs, file, progress).equals(expected.checksum());
    } catch (java.io.FileNotFoundException e) {
      return false;
    }
  }
}
