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
package org.freshet.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.freshet.cli.bench.EditableText.Edit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EditableTextTest {
  private static final long SEED = 11;
  private static final int REGION = EditableText.REGION_BYTES;

  @TempDir private Path dir;

  @Test
  void theSameSeedGivesTheSameText() throws Exception {
    EditableText one = new EditableText(dir.resolve("one"), 2, 4, SEED);
    EditableText two = new EditableText(dir.resolve("two"), 2, 4, SEED);
    assertThat(one.paths()).hasSize(2);
    for (int i = 0; i < 2; i++) {
      assertThat(two.paths().get(i)).hasSameBinaryContentAs(one.paths().get(i));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void replacingAShareChangesThatManyRegionsAndNoLength(boolean scattered) throws Exception {
    EditableText text = new EditableText(dir.resolve("text"), 2, 8, SEED);
    byte[][] before = regions(text);
    Edit edit = scattered ? text.replaceScattered(0.25) : text.replaceStretches(0.25);
    byte[][] after = regions(text);
    assertThat(differing(before, after)).isEqualTo(2);
    assertThat(edit.data().size()).isEqualTo(2 * REGION);
    assertThat(text.bytes()).isEqualTo(8L * REGION);
    for (byte[] region : after) {
      assertThat(region[REGION - 1]).isEqualTo((byte) '\n');
    }
  }

  @Test
  void replacingALineChangesOneLineOfOneFile() throws Exception {
    EditableText text = new EditableText(dir.resolve("text"), 2, 4, SEED);
    byte[][] before = regions(text);
    Edit edit = text.replaceLine(1 << 16);
    byte[][] after = regions(text);
    assertThat(differing(before, after)).isEqualTo(1);
    assertThat(edit.files()).hasSize(1);
    assertThat(edit.data().size()).isEqualTo(1 << 16);
    for (int i = 0; i < before.length; i++) {
      int first = Arrays.mismatch(before[i], after[i]);
      if (first >= 0) {
        assertThat(lines(before[i])).hasSameSizeAs(lines(after[i]));
        assertThat(Arrays.copyOfRange(after[i], 200, REGION))
            .isEqualTo(Arrays.copyOfRange(before[i], 200, REGION));
      }
    }
  }

  @Test
  void wordFrequenciesFollowZipf() {
    Map<String, Integer> counts = new HashMap<>();
    String text = new String(new ZipfText(SEED).lines(4 * REGION), StandardCharsets.US_ASCII);
    for (String word : text.split("\\s", -1)) {
      counts.merge(word, 1, Integer::sum);
    }
    int[] sorted = counts.values().stream().mapToInt(Integer::intValue).sorted().toArray();
    double first = sorted[sorted.length - 1];
    // Rank 10 is drawn a tenth as often as rank 1; the tolerance is five standard deviations.
    double tenth = sorted[sorted.length - 10];
    assertThat(first / tenth).isBetween(9.0, 11.0);
    assertThat(counts).hasSizeGreaterThan(20_000);
  }

  private static String[] lines(byte[] region) {
    return new String(region, StandardCharsets.US_ASCII).split("\n", -1);
  }

  private static int differing(byte[][] before, byte[][] after) {
    int count = 0;
    for (int i = 0; i < before.length; i++) {
      count += Arrays.equals(before[i], after[i]) ? 0 : 1;
    }
    return count;
  }

  private static byte[][] regions(EditableText text) throws Exception {
    byte[][] regions = new byte[(int) (text.bytes() / REGION)][];
    int i = 0;
    for (Path path : text.paths()) {
      byte[] file = Files.readAllBytes(path);
      for (int start = 0; start < file.length; start += REGION) {
        regions[i++] = Arrays.copyOfRange(file, start, start + REGION);
      }
    }
    return regions;
  }
}
