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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.freshet.cli.backup.store.BackupStore;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;

/** Images edited at random, put one after the other; the oracle is a copy of each. */
class BackupRoundTripTest {
  @Property(tries = 40)
  void everyImageIsRestoredBitByBitBeforeAndAfterARestart(
      @ForAll long seed,
      @ForAll @IntRange(max = 60_000) int length,
      @ForAll @IntRange(min = 6, max = 12) int averageBits,
      @ForAll @IntRange(min = 1, max = 3) int threads,
      @ForAll @Size(max = 4) List<@IntRange(max = 999_999) Integer> edits)
      throws IOException {
    Chunker chunker = new Chunker(ChunkerConfig.withAverage(1 << averageBits));
    SplittableRandom random = new SplittableRandom(seed);
    byte[] image = new byte[length];
    random.nextBytes(image);
    List<byte[]> put = new ArrayList<>();
    Path directory = Files.createTempDirectory("freshet-backup-round-trip");
    try {
      try (BackupStore store = BackupStore.open(directory);
          BackupServer server = BackupServer.start(store, 0, line -> {});
          BackupAgent agent = BackupAgent.connect(server.port())) {
        put.add(image);
        agent.put("image", new MemoryImage(image), chunker, threads);
        for (int edit : edits) {
          image = edit(image, edit, random);
          put.add(image);
          PutResult result = agent.put("image", new MemoryImage(image), chunker, threads);
          assertThat(result.sentChunkBytes()).isLessThanOrEqualTo(image.length);
        }
        assertRestored(agent, put);
      }
      try (BackupStore store = BackupStore.open(directory);
          BackupServer server = BackupServer.start(store, 0, line -> {});
          BackupAgent agent = BackupAgent.connect(server.port())) {
        assertRestored(agent, put);
        assertThat(agent.verify().sound()).isTrue();
      }
    } finally {
      delete(directory);
    }
  }

  private static void assertRestored(BackupAgent agent, List<byte[]> put) throws IOException {
    for (int i = 0; i < put.size(); i++) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      agent.restore("image", i + 1, out);
      assertThat(out.toByteArray()).isEqualTo(put.get(i));
    }
  }

  /** Replaces up to 300 bytes at a place that the number says by up to 300 others. */
  private static byte[] edit(byte[] image, int number, SplittableRandom random) {
    int place = (int) ((long) image.length * number / 1_000_000);
    int removed = random.nextInt(Math.min(300, image.length - place) + 1);
    byte[] inserted = new byte[random.nextInt(301)];
    random.nextBytes(inserted);
    byte[] edited = new byte[image.length - removed + inserted.length];
    System.arraycopy(image, 0, edited, 0, place);
    System.arraycopy(inserted, 0, edited, place, inserted.length);
    System.arraycopy(
        image, place + removed, edited, place + inserted.length, image.length - place - removed);
    return edited;
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
