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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.freshet.hdfs.index.ChunkIndexer.Stats;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.SourceChangedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkIndexerTest {
  private static final ChunkerConfig CONFIG = ChunkerConfig.withAverage(1024);

  /** For this clock, files written a moment ago are settled. */
  private static final InstantSource LATER =
      InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));

  @TempDir private java.nio.file.Path temporary;

  private java.nio.file.Path input;
  private java.nio.file.Path store;
  private Configuration conf = new Configuration();
  private final List<String> warnings = new ArrayList<>();

  private final AppenderSkeleton warningCollector =
      new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
          if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            warnings.add(event.getRenderedMessage());
          }
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
          return false;
        }
      };

  @BeforeEach
  void makeDirectories() throws IOException {
    input = Files.createDirectory(temporary.resolve("input"));
    store = temporary.resolve("store");
    Logger.getLogger("org.freshet").addAppender(warningCollector);
  }

  @AfterEach
  void stopCollecting() {
    Logger.getLogger("org.freshet").removeAppender(warningCollector);
  }

  private static String text(int lines, long seed) {
    StringBuilder text = new StringBuilder();
    Random random = new Random(seed);
    for (int i = 0; i < lines; i++) {
      text.append(Long.toString(random.nextLong(), 36)).append(" a line of text\n");
    }
    return text.toString();
  }

  private java.nio.file.Path write(String name, String content) throws IOException {
    return Files.writeString(input.resolve(name), content);
  }

  private ChunkIndexer indexer() {
    return indexer(CONFIG, LATER);
  }

  private ChunkIndexer indexer(ChunkerConfig config, InstantSource clock) {
    return new ChunkIndexer(conf, new Path(store.toUri()), config, 2, clock);
  }

  private List<FileStatus> statuses(java.nio.file.Path directory) throws IOException {
    Path path = new Path(directory.toUri());
    FileStatus[] statuses = path.getFileSystem(new Configuration()).listStatus(path);
    return Stream.of(statuses).sorted().toList();
  }

  private Map<Path, FileChunks> index(ChunkIndexer indexer) throws IOException {
    return indexer.index(statuses(input), ChunkMode.LINES, stats -> {});
  }

  private static void assertMatches(FileChunks chunks, java.nio.file.Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    assertThat(chunks.file()).isEqualTo(new Path(file.toUri()));
    assertThat(chunks.length()).isEqualTo(content.length);
    long offset = 0;
    for (Chunk chunk : chunks.chunks()) {
      assertThat(chunk.offset()).isEqualTo(offset);
      offset = chunk.end();
      byte[] bytes = Arrays.copyOfRange(content, (int) chunk.offset(), (int) chunk.end());
      assertThat(chunk.digest()).isEqualTo(Sha256.start().digest(bytes));
    }
    assertThat(offset).isEqualTo(content.length);
  }

  private FileChunks of(Map<Path, FileChunks> chunks, java.nio.file.Path file) {
    return chunks.get(new Path(file.toUri()));
  }

  @Test
  void refusesChunksThatCouldEndAtAFilesFirstByte() {
    assertThatThrownBy(() -> indexer(ChunkerConfig.of(63, 1000, 2000), LATER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 63");
  }

  @Test
  void unchangedFilesAreNotReadAgain() throws IOException {
    java.nio.file.Path a = write("a", text(500, 1));
    java.nio.file.Path b = write("b", "");
    ChunkIndexer first = indexer();
    Map<Path, FileChunks> read = index(first);

    ChunkIndexer second = indexer();
    Map<Path, FileChunks> known = index(second);

    assertThat(known).isEqualTo(read);
    assertThat(known.keySet()).containsExactly(new Path(a.toUri()), new Path(b.toUri()));
    assertMatches(of(known, a), a);
    assertMatches(of(known, b), b);
    assertThat(of(known, a).chunks()).hasSizeGreaterThan(5);
    assertThat(first.stats()).isEqualTo(new Stats(2, Files.size(a), 0, 0));
    assertThat(second.stats()).isEqualTo(new Stats(0, 0, 2, Files.size(a)));
    assertThat(warnings).isEmpty();
  }

  @Test
  void editOfEqualLengthIsSeen() throws IOException {
    java.nio.file.Path a = write("a", text(200, 1));
    write("b", text(200, 2));
    index(indexer());
    write("a", text(200, 1).replace('a', 'b'));

    ChunkIndexer second = indexer();
    Map<Path, FileChunks> chunks = index(second);

    assertMatches(of(chunks, a), a);
    assertThat(second.stats().filesRead()).isEqualTo(1);
    assertThat(second.stats().filesReused()).isEqualTo(1);
  }

  @Test
  void renamedFilesGetTheirOwnChunks() throws IOException {
    java.nio.file.Path a = write("a", text(200, 1));
    java.nio.file.Path b = write("b", text(200, 2));
    index(indexer());
    java.nio.file.Path c = input.resolve("c");
    Files.move(a, c);
    Files.move(b, a);

    Map<Path, FileChunks> chunks = index(indexer());

    assertThat(chunks).hasSize(2);
    assertMatches(of(chunks, a), a);
    assertMatches(of(chunks, c), c);
  }

  @Test
  void filesChangedAMomentAgoAreNotKept() throws IOException {
    write("a", text(100, 1));
    index(indexer(CONFIG, InstantSource.system()));

    ChunkIndexer second = indexer();
    index(second);

    assertThat(second.stats().filesRead()).isEqualTo(1);
    assertThat(second.stats().filesReused()).isZero();
  }

  @Test
  void fileThatChangesWhileReadIsReadAgain() throws IOException {
    java.nio.file.Path a = write("a", text(100, 1));
    AtomicInteger opened = new AtomicInteger();
    conf =
        HookedFileSystem.configuration(
            file -> {
              if (file.getName().equals("a") && opened.incrementAndGet() < 3) {
                Files.writeString(a, "one more line\n", StandardOpenOption.APPEND);
              }
            });

    Map<Path, FileChunks> chunks = index(indexer());

    assertMatches(of(chunks, a), a);
    assertThat(opened).hasValue(3);
  }

  @Test
  void fileThatKeepsChangingIsAnErrorThatNamesIt() throws IOException {
    java.nio.file.Path a = write("a", text(100, 1));
    AtomicInteger opened = new AtomicInteger();
    conf =
        HookedFileSystem.configuration(
            file -> {
              if (file.getName().equals("a")) {
                // The same length: only the file's version tells.
                Files.writeString(a, text(100, 1).replace('l', (char) ('a' + opened.get())));
                opened.incrementAndGet();
              }
            });

    assertThatThrownBy(() -> index(indexer()))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining(a.toString())
        .hasMessageContaining("4 times");
    assertThat(opened).hasValue(4);
  }

  @Test
  void oneFailingFileDoesNotCostTheOthersTheirPlaceInTheIndex() throws IOException {
    for (int i = 0; i < 5; i++) {
      write("a" + i, text(50, i));
    }
    write("bad", text(50, 9));
    conf =
        HookedFileSystem.configuration(
            file -> {
              if (file.getName().equals("bad")) {
                throw new IOException("disk on fire");
              }
            });

    assertThatThrownBy(() -> index(indexer()))
        .isInstanceOf(IOException.class)
        .hasMessage("disk on fire");
    conf = new Configuration();
    ChunkIndexer second = indexer();
    index(second);

    assertThat(second.stats().filesReused()).isEqualTo(5);
    assertThat(second.stats().filesRead()).isEqualTo(1);
  }

  @Test
  void damagedIndexIsRebuilt() throws IOException {
    java.nio.file.Path a = write("a", text(300, 1));
    index(indexer());
    java.nio.file.Path indexFile = onlyIndexFile();
    byte[] intact = Files.readAllBytes(indexFile);
    byte[] flipped = intact.clone();
    flipped[intact.length / 2] ^= 1;
    List<byte[]> damages =
        List.of(
            flipped, Arrays.copyOf(intact, intact.length - 1), new byte[0], "x".getBytes(UTF_8));

    for (byte[] damaged : damages) {
      Files.write(indexFile, damaged);
      warnings.clear();
      ChunkIndexer repairing = indexer();
      Map<Path, FileChunks> chunks = index(repairing);

      assertMatches(of(chunks, a), a);
      assertThat(repairing.stats().filesRead()).isEqualTo(1);
      assertThat(warnings).hasSize(1);
      assertThat(warnings.get(0)).contains(indexFile.getFileName().toString());
      assertThat(Files.readAllBytes(indexFile)).isEqualTo(intact);
    }
  }

  private java.nio.file.Path onlyIndexFile() throws IOException {
    try (Stream<java.nio.file.Path> files = Files.walk(store)) {
      List<java.nio.file.Path> indexes = files.filter(Files::isRegularFile).toList();
      assertThat(indexes).hasSize(1);
      return indexes.get(0);
    }
  }

  @Test
  void storeThatCannotBeWrittenCostsOneWarning() throws IOException {
    store = Files.writeString(temporary.resolve("file"), "a file where a directory should be");
    java.nio.file.Path a = write("a", text(100, 1));
    java.nio.file.Path other = Files.createDirectory(temporary.resolve("other"));
    Files.writeString(other.resolve("b"), text(100, 2));
    List<FileStatus> both = new ArrayList<>(statuses(input));
    both.addAll(statuses(other));
    ChunkIndexer indexer = indexer();

    Map<Path, FileChunks> chunks = indexer.index(both, ChunkMode.LINES, stats -> {});

    assertThat(chunks).hasSize(2);
    assertMatches(of(chunks, a), a);
    assertThat(warnings.stream().filter(warning -> warning.contains("Cannot keep"))).hasSize(1);
  }

  @Test
  void filesNotAskedForStayInTheIndexUntilTheyAreDeleted() throws IOException {
    java.nio.file.Path a = write("a", text(100, 1));
    write("b", text(100, 2));
    index(indexer());
    long withTwo = Files.size(onlyIndexFile());

    List<FileStatus> justA = List.of(statuses(input).get(0));
    write("a", text(100, 3));
    indexer().index(justA, ChunkMode.LINES, stats -> {});
    ChunkIndexer all = indexer();
    index(all);
    assertThat(all.stats().filesReused()).isEqualTo(2);

    Files.delete(input.resolve("b"));
    write("a", text(100, 4));
    Map<Path, FileChunks> chunks = index(indexer());
    assertMatches(of(chunks, a), a);
    assertThat(Files.size(onlyIndexFile())).isLessThan(withTwo);
  }

  @Test
  void otherChunkSizesAndModesHaveIndexesOfTheirOwn() throws IOException {
    java.nio.file.Path a = write("a", text(500, 1));
    index(indexer());

    ChunkIndexer coarse = indexer(ChunkerConfig.withAverage(4096), LATER);
    FileChunks inLargerChunks = of(index(coarse), a);
    FileChunks whole = of(indexer().index(statuses(input), ChunkMode.WHOLE, stats -> {}), a);
    ChunkIndexer again = indexer();
    FileChunks lines = of(index(again), a);

    assertThat(coarse.stats().filesRead()).isEqualTo(1);
    assertThat(again.stats().filesReused()).isEqualTo(1);
    assertThat(lines.chunks().size()).isGreaterThan(inLargerChunks.chunks().size());
    assertThat(lines.mode()).isEqualTo(ChunkMode.LINES);
    assertThat(whole.mode()).isEqualTo(ChunkMode.WHOLE);
    assertThat(whole.chunks()).hasSize(1);
    assertMatches(whole, a);
  }

  @Test
  void emptyFileHasNoChunkInEitherMode() throws IOException {
    java.nio.file.Path empty = write("empty", "");
    for (ChunkMode mode : List.of(ChunkMode.LINES, ChunkMode.WHOLE)) {
      Map<Path, FileChunks> chunks = indexer().index(statuses(input), mode, stats -> {});
      assertThat(of(chunks, empty).chunks()).isEmpty();
    }
  }

  @Test
  void byteOrderMarkIsNoticedAndRemembered() throws IOException {
    java.nio.file.Path bom = write("bom", "\uFEFFfirst line\n");
    java.nio.file.Path none = write("none", "first line\n");
    java.nio.file.Path half =
        Files.write(input.resolve("half"), new byte[] {(byte) 0xEF, (byte) 0xBB});

    for (int run = 0; run < 2; run++) {
      Map<Path, FileChunks> chunks = index(indexer());
      assertThat(of(chunks, bom).startsWithBom()).isTrue();
      assertThat(of(chunks, none).startsWithBom()).isFalse();
      assertThat(of(chunks, half).startsWithBom()).isFalse();
      assertMatches(of(chunks, bom), bom);
      assertMatches(of(chunks, half), half);
    }
  }

  @Test
  void largeFileIsReadInParallelIntoTheSameChunks() throws IOException {
    byte[] content = text(300_000, 1).getBytes(UTF_8);
    java.nio.file.Path large = input.resolve("large");
    for (int size = 0; size <= 66 << 20; size += content.length) {
      Files.write(large, content, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    ChunkerConfig config = ChunkerConfig.withAverage(64 << 10);
    List<Stats> told = new ArrayList<>();
    ChunkIndexer parallel = indexer(config, LATER);

    FileChunks chunks = of(parallel.index(statuses(input), ChunkMode.LINES, told::add), large);
    java.nio.file.Path elsewhere = temporary.resolve("elsewhere");
    FileChunks sequential =
        of(
            new ChunkIndexer(conf, new Path(elsewhere.toUri()), config, 1, LATER)
                .index(statuses(input), ChunkMode.LINES, stats -> {}),
            large);

    assertThat(chunks).isEqualTo(sequential);
    assertMatches(chunks, large);
    assertThat(told).hasSizeGreaterThan(3);
    assertThat(told).isSortedAccordingTo((a, b) -> Long.compare(a.bytesRead(), b.bytesRead()));
  }

  @Test
  void sameFileTwiceInTheListIsReadOnce() throws IOException {
    java.nio.file.Path a = write("a", text(100, 1));
    List<FileStatus> twice = new ArrayList<>(statuses(input));
    twice.addAll(statuses(input));
    ChunkIndexer indexer = indexer();

    assertThat(indexer.index(twice, ChunkMode.LINES, stats -> {})).hasSize(1);
    assertThat(indexer.stats()).isEqualTo(new Stats(1, Files.size(a), 0, 0));
  }

  @Test
  void missingFilesAndDirectoriesAreRefused() throws IOException {
    write("a", text(10, 1));
    List<FileStatus> gone = statuses(input);
    Files.delete(input.resolve("a"));

    assertThatThrownBy(() -> indexer().index(gone, ChunkMode.LINES, stats -> {}))
        .isInstanceOf(FileNotFoundException.class);
    FileSystem fs = FileSystem.getLocal(conf);
    List<FileStatus> directory = List.of(fs.getFileStatus(new Path(input.toUri())));
    assertThatThrownBy(() -> indexer().index(directory, ChunkMode.LINES, stats -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(input.toString());
    assertThat(indexer().index(List.of(), ChunkMode.LINES, stats -> {})).isEmpty();
  }

  @Test
  void twoClientsAtOnceLeaveAnIntactIndex() throws Exception {
    for (int i = 0; i < 4; i++) {
      write("f" + i, text(50, i));
    }
    List<FileStatus> files = statuses(input);
    for (int round = 0; round < 15; round++) {
      write("f0", text(50, 100 + round));
      List<Throwable> failures = new ArrayList<>();
      List<Thread> clients = new ArrayList<>();
      for (int client = 0; client < 2; client++) {
        Thread thread = new Thread(() -> indexQuietly(files), "client " + client);
        thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
        clients.add(thread);
        thread.start();
      }
      for (Thread client : clients) {
        client.join();
      }
      assertThat(failures).isEmpty();
    }

    ChunkIndexer last = indexer();
    index(last);

    assertThat(last.stats().filesReused()).isEqualTo(4);
    assertThat(warnings).isEmpty();
    onlyIndexFile();
  }

  private void indexQuietly(List<FileStatus> files) {
    try {
      indexer().index(files, ChunkMode.LINES, stats -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
