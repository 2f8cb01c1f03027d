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
package org.freshet.hdfs.index;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.freshet.shredder.Chunk;

/** Tells people how the chunks of an index differ from those of its file. */
final class ChunkDifferences {
  private ChunkDifferences() {}

  /** A sentence for each difference; none if there is none. */
  static List<String> describe(List<Chunk> indexed, List<Chunk> present) {
    List<String> differences = new ArrayList<>();
    int i = 0;
    int p = 0;
    while (i < indexed.size() || p < present.size()) {
      Chunk inIndex = i < indexed.size() ? indexed.get(i) : null;
      Chunk inFile = p < present.size() ? present.get(p) : null;
      if (inFile == null || (inIndex != null && inIndex.end() < inFile.end())) {
        differences.add("the index has a cut at " + inIndex.end() + ", the content has not");
        i++;
      } else if (inIndex == null || inFile.end() < inIndex.end()) {
        differences.add("the content has a cut at " + inFile.end() + ", the index has not");
        p++;
      } else {
        if (inIndex.offset() == inFile.offset() && !inIndex.equals(inFile)) {
          differences.add(
              String.format(
                  "bytes %d to %d: the index has SHA-256 %s, the content %s",
                  inIndex.offset(), inIndex.end(), hex(inIndex), hex(inFile)));
        }
        i++;
        p++;
      }
    }
    return differences;
  }

  private static String hex(Chunk chunk) {
    return HexFormat.of().formatHex(chunk.digest());
  }
}
