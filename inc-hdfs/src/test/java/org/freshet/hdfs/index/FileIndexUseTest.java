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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.ChunkIndexer.Stats;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chunk indexer where there are indexes of single files. */
class FileIndexUseTest {
  private static final ChunkerConfig CONFIG = ChunkerConfig.withAverage(1024);
  private static final Chunker CHUNKER = new Chunker(CONFIG.with(RecordAlignment.lines()));
  private static final String FINGERPRINT = CHUNKER.config().fingerprint();

  private static final InstantSource LATER =
      InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));

  @TempDir private java.nio.file.Path temporary;

  private final Configuration conf = new Configuration();
  private final List<java.nio.file.Path> files = new ArrayList<>();
  private java.nio.file.Path place;

  @BeforeEach
  void writeFilesWithIndexes() throws IOException {
    place = temporary.resolve("indexes");
    conf.set(HdfsKeys.INDEX_DIR.name(), place.toString());
    Files.createDirectory(temporary.resolve("input"));
    for (int i = 0; i < 10; i++) {
      java.nio.file.Path file = temporary.resolve("input/" + i);
      files.add(Files.writeString(file, (i + " is the number of this line\n").repeat(1000)));
      put(file, FINGERPRINT, CHUNKER.chunk(file));
    }
  }

  private void put(java.nio.file.Path file, String fingerprint, List<Chunk> chunks)
      throws IOException {
    FileSystem fs = FileSystem.getLocal(conf);
    FileStatus status = fs.getFileStatus(new Path(file.toUri()));
    FileVersion version = FileVersion.of(fs, status);
    boolean kept =
        FileIndexStore.of(conf, LATER).put(fs, status, version, fingerprint, chunks, false);
    assertThat(kept).isTrue();
  }

  private Stats index(String store) throws IOException {
    Path root = new Path(temporary.resolve(store).toUri());
    ChunkIndexer indexer = new ChunkIndexer(conf, root, CONFIG, 2, LATER);
    List<FileStatus> statuses = new ArrayList<>();
    for (java.nio.file.Path file : files) {
      Path path = new Path(file.toUri());
      statuses.add(path.getFileSystem(conf).getFileStatus(path));
    }
    Map<Path, FileChunks> chunks = indexer.index(statuses, ChunkMode.LINES, stats -> {});
    assertThat(chunks).hasSameSizeAs(files);
    for (java.nio.file.Path file : files) {
      FileChunks found = chunks.get(new Path(file.toUri()));
      assertThat(found.chunks()).isEqualTo(CHUNKER.chunk(file));
      assertThat(found.mode()).isEqualTo(ChunkMode.LINES);
    }
    return indexer.stats();
  }

  private static Stats found(int files) {
    return new Stats(0, 0, files, files * 29_000L);
  }

  private void assertRead(Stats stats, int read) {
    assertThat(stats.filesRead()).isEqualTo(read);
    assertThat(stats.filesReused()).isEqualTo(files.size() - read);
  }

  @Test
  void filesWithIndexesAreNotRead() throws IOException {
    assertThat(index("store")).isEqualTo(found(10));
  }

  @Test
  void whatTheyKnowGoesIntoTheIndexOfTheDirectory() throws IOException {
    index("store");
    deleteIndexes();
    assertThat(index("store")).isEqualTo(found(10));
    assertRead(index("another"), 10);
  }

  private void deleteIndexes() throws IOException {
    for (java.nio.file.Path index : indexes()) {
      Files.delete(index);
    }
  }

  private List<java.nio.file.Path> indexes() throws IOException {
    try (Stream<java.nio.file.Path> all = Files.walk(place)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void aChangedFileIsRead() throws IOException {
    Files.writeString(files.get(3), "3 was the number of this line\n".repeat(1000));
    assertRead(index("store"), 1);
  }

  @Test
  void aFileWhoseIndexIsDamagedAnywhereIsRead() throws IOException {
    List<java.nio.file.Path> indexes = indexes();
    for (int i = 0; i < 5; i++) {
      byte[] bytes = Files.readAllBytes(indexes.get(i));
      bytes[(bytes.length - 1) * i / 4] ^= 1;
      Files.write(indexes.get(i), bytes);
    }
    assertRead(index("store"), 5);
  }

  @Test
  void chunksOfAnotherSizeAreNotTaken() throws IOException {
    Chunker other = new Chunker(ChunkerConfig.withAverage(512).with(RecordAlignment.lines()));
    put(files.get(0), other.config().fingerprint(), other.chunk(files.get(0)));
    assertRead(index("store"), 1);
  }

  @Test
  void linesAreNotTakenForWholeFiles() throws IOException {
    Path path = new Path(files.get(0).toUri());
    FileStatus status = path.getFileSystem(conf).getFileStatus(path);
    Path root = new Path(temporary.resolve("store").toUri());
    ChunkIndexer indexer = new ChunkIndexer(conf, root, CONFIG, 1, LATER);
    FileChunks whole =
        indexer.index(List.of(status), ChunkMode.WHOLE, stats -> {}).values().iterator().next();
    assertThat(whole.chunks()).hasSize(1);
    assertThat(indexer.stats().filesRead()).isEqualTo(1);
  }
}
