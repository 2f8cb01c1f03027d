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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file longer than an {@code int} can count, even unsigned; most of it is a hole. */
class LargeFileTest {
  private static final long HOLE = (4L << 30) + 12_345;
  private static final int MAX = 1 << 20;
  private static final ChunkerConfig CONFIG =
      ChunkerConfig.builder().maskBits(14).minSize(4096).maxSize(MAX).build();

  @Test
  void offsetsBeyondFourGigabytesAreRight(@TempDir Path directory) throws IOException {
    byte[] content = Sources.random(3 << 20, 5);
    Path file = directory.resolve("large");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content), HOLE);
    }
    // Zeros have no candidate, so the maximum cuts them, and content begins this far into a chunk.
    int zerosInFront = (int) (HOLE % MAX);
    byte[] tail = new byte[zerosInFront + content.length];
    System.arraycopy(content, 0, tail, zerosInFront, content.length);
    List<Long> expected = new ArrayList<>();
    for (long cut = MAX; cut <= HOLE; cut += MAX) {
      expected.add(cut);
    }
    Chunker chunker = new Chunker(CONFIG, new JavaBackend());
    chunker.boundaries(tail, cut -> expected.add(HOLE - zerosInFront + cut));

    List<Long> cuts = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      chunker.boundaries(ByteSource.of(file), threads, 2, cuts::add);
    } finally {
      threads.shutdownNow();
    }

    assertThat(cuts).isEqualTo(expected);
    assertThat(cuts.get(cuts.size() - 1)).isEqualTo(HOLE + content.length);
    assertThat(cuts).hasSizeGreaterThan(4096 + 100);
  }
}
