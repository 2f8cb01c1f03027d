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
package org.freshet.mapreduce.map;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Bytes that this process has read from file systems of a scheme, as stock MapTask adds them up.
 */
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
