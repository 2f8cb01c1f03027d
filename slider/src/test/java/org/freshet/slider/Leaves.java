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
package org.freshet.slider;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Leaves for tests: a word is the value, its digest the id. */
final class Leaves {
  private Leaves() {}

  static Digest id(String word) {
    return Digest.sha256(word.getBytes(StandardCharsets.UTF_8));
  }

  static List<Digest> ids(List<String> words) {
    return words.stream().map(Leaves::id).toList();
  }

  /** A list that may be changed, of words that differ. */
  static List<String> numbered(int count) {
    List<String> words = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      words.add("w" + i + ".");
    }
    return words;
  }
}
