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
package org.freshet.shredder.nativ;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.Test;

/**
 * Digests in a process that has just started, while its methods are being compiled: a loop in what
 * runs for each chunk was once compiled wrongly, as part of the loop over the chunks of a call, and
 * left half of each digest out. In a process that has run other tests nothing is seen of that.
 */
@NeedsNative
class NewProcessDigestsTest {
  @Test
  void manyChunksHaveTheDigestsOfTheJdk() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                Probe.class.getName())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Cuts a million bytes into tiny chunks several times. */
  static final class Probe {
    private static final int TIMES = 6;

    private Probe() {}

    public static void main(String[] args) throws Exception {
      byte[] bytes = Noise.bytes(1_000_000, 3);
      ChunkerConfig config = ChunkerConfig.withAverage(8);
      Chunker chunker = new Chunker(config, Backends.named("native"));
      List<byte[]> expected = expected(chunker, bytes);
      long wrong = 0;
      for (int time = 0; time < TIMES; time++) {
        List<Chunk> chunks = chunker.chunk(bytes);
        for (int i = 0; i < chunks.size(); i++) {
          wrong += Arrays.equals(chunks.get(i).digest(), expected.get(i)) ? 0 : 1;
        }
      }
      if (wrong > 0) {
        System.err.println(wrong + " wrong digests");
        System.exit(1);
      }
    }

    private static List<byte[]> expected(Chunker chunker, byte[] bytes) throws Exception {
      List<Long> cuts = new ArrayList<>();
      chunker.boundaries(ByteBuffer.wrap(bytes), cuts::add);
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      List<byte[]> digests = new ArrayList<>();
      int start = 0;
      for (long cut : cuts) {
        sha256.update(bytes, start, (int) cut - start);
        digests.add(sha256.digest());
        start = (int) cut;
      }
      return digests;
    }
  }
}
