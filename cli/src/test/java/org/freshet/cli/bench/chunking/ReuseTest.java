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
package org.freshet.cli.bench.chunking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReuseTest {
  private static final int LENGTH = 1_000_000;

  @TempDir private Path dir;
  private Path before;
  private Path after;

  /** The same but for one byte more at the start. */
  @BeforeEach
  void writeTexts() throws Exception {
    byte[] bytes = new byte[LENGTH];
    new SplittableRandom(1).nextBytes(bytes);
    before = Files.write(dir.resolve("before"), bytes);
    byte[] shifted = new byte[LENGTH + 1];
    System.arraycopy(bytes, 0, shifted, 1, LENGTH);
    after = Files.write(dir.resolve("after"), shifted);
  }

  @Test
  void blocksAreNotRecognizedBehindAnInsertedByte() throws Exception {
    Reuse reuse = Reuse.of(ReuseTest::blocks, before, after);
    assertThat(reuse.percent()).isZero();
    assertThat(reuse.meanChunk()).isCloseTo(1000, within(1.0));
    assertThat(Reuse.of(ReuseTest::blocks, before, before).percent()).isEqualTo(100);
  }

  @ParameterizedTest
  @EnumSource(Rules.class)
  void chunksAreRecognizedBehindAnInsertedByte(Rules rule) throws Exception {
    Chunker chunker = new Chunker(rule.config(), Backends.named("java"));
    Reuse reuse =
        Reuse.of(
            file -> {
              List<Long> cuts = new ArrayList<>();
              chunker.boundaries(ByteSource.of(file), cuts::add);
              return cuts;
            },
            before,
            after);
    assertThat(reuse.percent()).isGreaterThan(100 - 100.0 * 2 * Rules.MAX / LENGTH);
    assertThat(reuse.meanChunk()).isBetween(0.8 * Rules.AVERAGE, 1.2 * Rules.AVERAGE);
  }

  @Test
  void chunksThatDoNotCoverTheTextAreAnError() {
    assertThatThrownBy(() -> Reuse.of(file -> List.of(10L), before, after))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("end at 10");
  }

  private static List<Long> blocks(Path file) throws IOException {
    long size = Files.size(file);
    long[] ends = LongStream.iterate(1000, end -> end < size, end -> end + 1000).toArray();
    long[] all = Arrays.copyOf(ends, ends.length + 1);
    all[ends.length] = size;
    return Arrays.stream(all).boxed().toList();
  }
}
