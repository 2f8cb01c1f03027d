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

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.FileIndexer.Check;
import org.freshet.hdfs.index.FileIndexer.Outcome;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileIndexerTest {
  private static final Chunker CHUNKER =
      new Chunker(ChunkerConfig.withAverage(1024).with(RecordAlignment.lines()));

  private static final InstantSource LATER =
      InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));

  @TempDir private java.nio.file.Path temporary;

  private final Configuration conf = new Configuration();
  private java.nio.file.Path file;
  private FileSystem fs;

  @BeforeEach
  void writeFile() throws IOException {
    conf.set(HdfsKeys.INDEX_DIR.name(), temporary.resolve("indexes").toString());
    conf.set(HdfsKeys.CHUNK_AVERAGE.name(), "1k");
    file = Files.writeString(temporary.resolve("file"), text());
    fs = FileSystem.getLocal(conf);
  }

  private static String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      text.append(i * 7919).append(" is a number\n");
    }
    return text.toString();
  }

  private FileStatus status() throws IOException {
    return fs.getFileStatus(new Path(file.toUri()));
  }

  private Outcome index(InstantSource clock) throws IOException {
    List<Outcome> outcomes = new ArrayList<>();
    try (FileIndexer indexer = new FileIndexer(conf, 1, read -> {}, clock)) {
      indexer.index(List.of(status()), outcomes::add);
    }
    assertThat(outcomes).hasSize(1);
    return outcomes.get(0);
  }

  private Check check() throws IOException {
    List<Check> checks = new ArrayList<>();
    try (FileIndexer indexer = new FileIndexer(conf, 1, read -> {}, LATER)) {
      indexer.check(List.of(status()), checks::add);
    }
    assertThat(checks).hasSize(1);
    assertThat(checks.get(0).error()).isEmpty();
    return checks.get(0);
  }

  /** Keeps chunks of which the file is told nothing. */
  private void put(String fingerprint, List<Chunk> chunks) throws IOException {
    FileVersion version = FileVersion.of(fs, status());
    assertThat(
            FileIndexStore.of(conf, LATER).put(fs, status(), version, fingerprint, chunks, false))
        .isTrue();
  }

  @Test
  void aFileThatChangedAMomentAgoIsReadWhenItIsSettled() throws IOException {
    Outcome outcome = index(InstantSource.system());
    assertThat(outcome.reason()).isEmpty();
    assertThat(outcome.known()).isFalse();
    assertThat(index(InstantSource.system()).known()).isTrue();
    assertThat(check().differences()).isEmpty();
    assertThat(check().chunks()).isEqualTo(outcome.chunks());
  }

  @Test
  void anIndexOfOtherContentIsFound() throws IOException {
    List<Chunk> other = CHUNKER.chunk(text().replace("99 is", "98 is").getBytes(UTF_8));
    put(CHUNKER.config().fingerprint(), other);
    assertThat(check().differences()).isNotEmpty().anyMatch(d -> d.contains("SHA-256"));
  }

  @Test
  void anIndexWithOtherCutsIsFound() throws IOException {
    List<Chunk> whole = new ArrayList<>(CHUNKER.chunk(file));
    Chunk joined = new Chunk(0, whole.get(1).end(), new byte[32]);
    whole.subList(0, 2).clear();
    whole.add(0, joined);
    put(CHUNKER.config().fingerprint(), whole);
    assertThat(check().differences())
        .containsExactly(
            "the content has a cut at " + CHUNKER.chunk(file).get(0).end() + ", the index has not");
  }

  @Test
  void contentIsComparedUnderAnyCuts() throws IOException {
    Chunker halves = new Chunker(ChunkerConfig.withAverage(512));
    put("cut by somebody else", halves.chunk(file));
    assertThat(check().differences()).isEmpty();
    put("cut by somebody else", halves.chunk(text().replace("99 is", "98 is").getBytes(UTF_8)));
    assertThat(check().differences()).isNotEmpty().allMatch(d -> d.contains("SHA-256"));
  }

  @Test
  void aFileWithoutAnIndexIsNotCompared() throws IOException {
    assertThat(check().reason()).contains(NoIndex.ABSENT);
  }

  @Test
  void chunksComeFromTheIndexOrElseFromTheFile() throws IOException {
    long[] read = new long[1];
    try (FileIndexer indexer = new FileIndexer(conf, 1, bytes -> read[0] = bytes, LATER)) {
      assertThat(indexer.chunks(status()).chunks()).isEqualTo(CHUNKER.chunk(file));
      assertThat(read[0]).isEqualTo(Files.size(file));
      indexer.index(List.of(status()), outcome -> {});
      assertThat(indexer.chunks(status()).chunks()).isEqualTo(CHUNKER.chunk(file));
      assertThat(read[0]).isEqualTo(2 * Files.size(file));
    }
  }

  @Test
  void aFileThatCannotBeReadDoesNotFailTheOthers() throws IOException {
    FileStatus gone = status();
    file = Files.writeString(temporary.resolve("other"), text());
    Files.delete(java.nio.file.Path.of(gone.getPath().toUri().getPath()));
    List<Outcome> outcomes = new ArrayList<>();
    try (FileIndexer indexer = new FileIndexer(conf, 2, read -> {}, LATER)) {
      indexer.index(List.of(gone, status()), outcomes::add);
    }
    assertThat(outcomes).hasSize(2);
    assertThat(outcomes.get(0).error()).isPresent();
    assertThat(outcomes.get(1).error()).isEqualTo(Optional.empty());
    assertThat(outcomes.get(1).reason()).isEmpty();
  }
}
