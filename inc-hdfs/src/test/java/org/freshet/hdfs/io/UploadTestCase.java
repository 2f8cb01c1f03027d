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
package org.freshet.hdfs.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A local directory, one on HDFS, and copies from one to the other. */
@Timeout(120)
abstract class UploadTestCase {
  /** Sent by several threads. */
  static final int LARGE = 70 << 20;

  /** Files that were just written count as old: nobody changes them but the tests that say so. */
  static final InstantSource LATER = () -> Instant.now().plusSeconds(60);

  @TempDir java.nio.file.Path local;
  DistributedFileSystem stock;
  Configuration conf;
  Path dir;

  @BeforeEach
  void connect(TestInfo test) throws IOException {
    stock = MiniHdfs.stock();
    conf = MiniHdfs.conf();
    dir = new Path("/" + getClass().getSimpleName(), test.getTestMethod().orElseThrow().getName());
  }

  /** To be told of sent bytes; fails the upload when there were so many. */
  static LongConsumer failingAfter(long bytes) {
    AtomicLong left = new AtomicLong(bytes);
    return count -> {
      if (left.addAndGet(-count) < 0) {
        throw new UncheckedIOException(new IOException("broken off"));
      }
    };
  }

  java.nio.file.Path write(String name, byte[] content) throws IOException {
    return Files.write(local.resolve(name), content);
  }

  Uploader.Outcome put(java.nio.file.Path file, Path copy) throws IOException {
    return put(file, copy, count -> {});
  }

  Uploader.Outcome put(java.nio.file.Path file, Path copy, LongConsumer sent) throws IOException {
    List<Uploader.Outcome> outcomes = new ArrayList<>();
    try (Uploader uploader = new Uploader(conf, 3, sent, LATER)) {
      uploader.put(List.of(new Uploader.Item(file, copy, copy)), outcomes::add);
    }
    assertThat(outcomes).hasSize(1);
    return outcomes.get(0);
  }

  Path directoryOfParts() throws IOException {
    return Arrays.stream(stock.listStatus(dir))
        .map(FileStatus::getPath)
        .filter(path -> path.getName().startsWith("_put-"))
        .findAny()
        .orElseThrow();
  }

  void assertNoParts() throws IOException {
    assertThat(names(dir)).noneMatch(name -> name.startsWith("_put-"));
  }

  List<String> names(Path directory) throws IOException {
    return Arrays.stream(stock.listStatus(directory)).map(s -> s.getPath().getName()).toList();
  }

  byte[] read(Path file) throws IOException {
    try (FSDataInputStream in = file.getFileSystem(conf).open(file)) {
      return in.readAllBytes();
    }
  }

  List<Long> blockLengths(Path file) throws IOException {
    FileStatus status = stock.getFileStatus(file);
    return Arrays.stream(stock.getFileBlockLocations(status, 0, status.getLen()))
        .map(BlockLocation::getLength)
        .toList();
  }

  void assertIndexed(Path file, byte[] content) throws IOException {
    List<Chunk> oracle = new Chunker(WriteSettings.of(conf).chunker()).chunk(content);
    assertThat(KeptIndex.of(conf, stock, file).map(KeptIndex::chunks)).contains(oracle);
  }
}
