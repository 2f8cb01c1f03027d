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
package org.freshet.shredder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceReaderTest {
  @TempDir private Path directory;

  @Property(tries = 100)
  void bringsEveryByteHoweverReluctantTheStream(
      @ForAll long seed,
      @ForAll @IntRange(max = 5000) int length,
      @ForAll @IntRange(min = 1, max = 1000) int step,
      @ForAll boolean direct)
      throws IOException {
    byte[] content = Sources.random(length, seed);
    Random random = new Random(seed);
    InputStream reluctant =
        new ByteArrayInputStream(content) {
          @Override
          public synchronized int read(byte[] bytes, int from, int count) {
            return super.read(bytes, from, Math.min(count, 1 + random.nextInt(100)));
          }
        };
    ByteBuffer buffer =
        direct ? ByteBuffer.allocateDirect(length + step) : ByteBuffer.allocate(length + step);
    try (SourceReader reader = new SourceReader(reluctant)) {
      int at = 0;
      for (int count = step; count == step; at += count) {
        count = reader.fill(buffer, at, at + step);
        assertThat(reader.position()).isEqualTo(at + count);
      }
      assertThat(at).isEqualTo(length);
    }
    byte[] read = new byte[length];
    buffer.get(0, read);
    assertThat(read).isEqualTo(content);
  }

  @Test
  void readsAFileFromAnywhere() throws IOException {
    byte[] content = Sources.random(700_000, 3);
    ByteSource source = ByteSource.of(Files.write(directory.resolve("file"), content));
    ByteBuffer buffer = ByteBuffer.allocateDirect(800_000);

    assertThat(source.length()).isEqualTo(700_000);
    try (SourceReader reader = new SourceReader(source, 100_000)) {
      assertThat(reader.fill(buffer, 5, 800_000)).isEqualTo(600_000);
      assertThat(reader.fill(buffer, 5, 6)).isZero();
    }
    byte[] read = new byte[600_000];
    buffer.get(5, read);
    assertThat(read).isEqualTo(Arrays.copyOfRange(content, 100_000, 700_000));
    try (InputStream in = source.open(699_990)) {
      assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 699_990, 700_000));
    }
  }

  @Test
  void noticesAFileThatGrowsOrShrinks() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[1000]);
    ByteSource source = ByteSource.of(file);
    Files.write(file, new byte[1], StandardOpenOption.APPEND);
    Chunker chunker = new Chunker(ChunkerConfig.withAverage(128), new JavaBackend());

    assertThatThrownBy(() -> chunker.chunk(source))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("1000");
    Files.write(file, new byte[999]);
    assertThatThrownBy(() -> chunker.chunk(source))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("999")
        .hasMessageContaining("1000");
  }
}
