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
package org.freshet.cli.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.freshet.cli.index.FileDifference.Kind;
import org.freshet.cli.index.FileDifference.Range;
import org.freshet.shredder.Chunk;
import org.junit.jupiter.api.Test;

/** Each letter is a chunk of its own, whose length is its place in the alphabet. */
class FileDifferenceTest {
  private static List<Chunk> chunks(String letters) {
    List<Chunk> chunks = new ArrayList<>();
    long offset = 0;
    for (byte letter : letters.getBytes(StandardCharsets.US_ASCII)) {
      byte[] sha256 = new byte[32];
      sha256[0] = letter;
      chunks.add(new Chunk(offset, letter - 'a' + 1, sha256));
      offset += letter - 'a' + 1;
    }
    return chunks;
  }

  /** Each byte of a chunk is its letter. */
  private static String bytes(String letters) {
    StringBuilder bytes = new StringBuilder();
    letters.chars().forEach(c -> bytes.append(String.valueOf((char) c).repeat(c - 'a' + 1)));
    return bytes.toString();
  }

  private static FileDifference between(String before, String after) {
    return FileDifference.between(chunks(before), chunks(after));
  }

  private static Range range(Kind kind, long old, long changed, long length, int chunks) {
    return new Range(kind, old, changed, length, chunks);
  }

  @Test
  void aReplacedChunkIsOneRemovedAndOneAdded() {
    assertThat(between("abcd", "abxd").ranges())
        .containsExactly(
            range(Kind.KEPT, 0, 0, 3, 2),
            range(Kind.ADDED, -1, 3, 24, 1),
            range(Kind.REMOVED, 3, -1, 3, 1),
            range(Kind.KEPT, 6, 27, 4, 1));
  }

  @Test
  void aChunkInAnotherPlaceHasMoved() {
    assertThat(between("abcd", "bcda").ranges())
        .containsExactly(range(Kind.KEPT, 1, 0, 9, 3), range(Kind.MOVED, 0, 9, 1, 1));
  }

  @Test
  void theSameIsTheSame() {
    assertThat(between("aab", "aab").isSame()).isTrue();
    assertThat(between("", "").isSame()).isTrue();
    assertThat(between("a", "").isSame()).isFalse();
    assertThat(between("", "a").isSame()).isFalse();
    assertThat(between("ab", "ba").isSame()).isFalse();
    assertThat(between("aa", "a").isSame()).isFalse();
  }

  @Test
  void peopleAreToldRangesAndSums() {
    StringWriter text = new StringWriter();
    between("abcd", "abxd").print(new PrintWriter(text, true), false);
    assertThat(text.toString())
        .contains("added    new 3 + 24 bytes, 1 chunks")
        .contains("removed  old 3 + 3 bytes, 1 chunks")
        .doesNotContain("old 0 new 0")
        .contains("kept: 7 bytes in 3 chunks, 22.6 % of the new file");
  }

  @Property
  void theNewFileIsMadeOfRangesOfTheOldOneAndNewOnes(
      @ForAll @CharRange(from = 'a', to = 'j') @StringLength(max = 40) String before,
      @ForAll @CharRange(from = 'a', to = 'j') @StringLength(max = 40) String after) {
    FileDifference difference = between(before, after);
    String old = bytes(before);
    StringBuilder rebuilt = new StringBuilder();
    int[] covered = new int[old.length()];
    for (Range range : difference.ranges()) {
      if (range.newOffset() >= 0) {
        assertThat(range.newOffset()).isEqualTo(rebuilt.length());
        rebuilt.append(
            range.oldOffset() >= 0
                ? old.substring((int) range.oldOffset(), (int) (range.oldOffset() + range.length()))
                : bytes(after)
                    .substring(rebuilt.length(), rebuilt.length() + (int) range.length()));
      }
      if (range.oldOffset() >= 0) {
        for (long i = range.oldOffset(); i < range.oldOffset() + range.length(); i++) {
          covered[(int) i]++;
        }
      }
    }
    assertThat(rebuilt.toString()).isEqualTo(bytes(after));
    assertThat(Arrays.stream(covered)).allMatch(times -> times == 1);
    assertThat(difference.isSame()).isEqualTo(before.equals(after));
  }

  @Property(tries = 200)
  void anInsertionKeepsAllThatWasThere(
      @ForAll @AlphaChars @CharRange(from = 'a', to = 'z') @StringLength(max = 30) String rest) {
    String before = distinct(rest);
    String after =
        before.substring(0, before.length() / 2) + "zz" + before.substring(before.length() / 2);
    FileDifference difference = between(before, after);
    assertThat(difference.bytes(Kind.KEPT)).isEqualTo(bytes(before).length());
    assertThat(difference.bytes(Kind.MOVED)).isZero();
    assertThat(difference.bytes(Kind.ADDED)).isEqualTo(52);
  }

  private static String distinct(String letters) {
    StringBuilder distinct = new StringBuilder();
    letters
        .toLowerCase(java.util.Locale.ROOT)
        .chars()
        .filter(c -> c != 'z')
        .distinct()
        .forEach(c -> distinct.append((char) c));
    return distinct.toString();
  }
}
