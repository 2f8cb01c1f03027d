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
package org.freshet.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimilarityExperimentTest {
  private static final int IMAGE = 1 << 20;
  private static final int SEGMENT = 16 << 10;

  @TempDir private Path dir;

  @Test
  void whatIsSentGrowsWithWhatWasReplacedAndByNoMoreThanTheChunksAtItsEdges() throws Exception {
    Chunker chunker = new Chunker(ChunkerConfig.withAverage(1 << 10));
    List<SimilarityExperiment.Step> steps =
        new SimilarityExperiment(IMAGE, SEGMENT, List.of(0.0, 0.2, 1.0))
            .run(dir.resolve("store"), chunker, 1, line -> {});
    assertThat(steps)
        .extracting(SimilarityExperiment.Step::share)
        .containsExactly(1.0, 0.0, 0.2, 1.0);
    assertThat(steps.get(0).put().sentChunkBytes()).isEqualTo(IMAGE);
    assertThat(steps.get(1).put().sentChunkBytes()).isZero();
    SimilarityExperiment.Step fifth = steps.get(2);
    assertThat(fifth.replacedBytes()).isBetween((long) IMAGE / 10, (long) IMAGE * 3 / 10);
    long segments = fifth.replacedBytes() / SEGMENT;
    assertThat(fifth.put().sentChunkBytes())
        .isBetween(fifth.replacedBytes(), fifth.replacedBytes() + segments * 3 * 4096);
    assertThat(steps.get(3).replacedBytes()).isEqualTo(IMAGE);
    assertThat(steps.get(3).put().sentChunkBytes()).isEqualTo(IMAGE);
  }

  @Test
  void anImageDiffersFromTheMasterInWholeSegmentsOnly() {
    SimilarImages images = new SimilarImages(10 * SEGMENT + 5, SEGMENT, 1);
    byte[] master = images.master().bytes();
    SimilarImages.Replaced replaced = images.replace(0.5);
    byte[] image = replaced.image().bytes();
    assertThat(image).hasSameSizeAs(master);
    long differing = 0;
    for (int start = 0; start < image.length; start += SEGMENT) {
      int end = Math.min(image.length, start + SEGMENT);
      differing += Arrays.equals(image, start, end, master, start, end) ? 0 : end - start;
    }
    assertThat(differing).isEqualTo(replaced.replacedBytes()).isBetween(1L, image.length - 1L);
  }

  @Test
  void aShareThatIsNoneIsRefused() {
    assertThatThrownBy(() -> new SimilarityExperiment(10, 5, List.of(1.5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1.5");
  }
}
