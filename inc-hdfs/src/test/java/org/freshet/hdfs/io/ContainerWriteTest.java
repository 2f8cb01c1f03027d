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
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.mapred.FsInput;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.SequenceFile;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.FileIndexer;
import org.freshet.shredder.Chunk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The oracle of a container file's index is the one that {@link FileIndexer} makes of a copy that a
 * stock client has written.
 */
@Timeout(120)
class ContainerWriteTest {
  private DistributedFileSystem stock;
  private IncrementalFileSystem fs;
  private Path dir;

  @BeforeEach
  void connect(TestInfo test) throws IOException {
    stock = MiniHdfs.stock();
    fs = MiniHdfs.client();
    dir = new Path("/containers-" + test.getTestMethod().orElseThrow().getName());
    stock.mkdirs(dir);
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.close();
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void whatTheStockWriterWritesGetsTheIndexOfTheIndexer(ContainerKind kind) throws IOException {
    // Records far below, around and above the average chunk, and above the largest one.
    for (int longest : new int[] {40, 3000, 130_000, 600_000}) {
      Path file = new Path(dir, kind + "-" + longest);
      int bytes = longest == 40 ? 300_000 : 3_000_000;
      try (FSDataOutputStream out = fs.create(file)) {
        kind.write(out, ContainerKind.records(longest, bytes, longest));
      }
      KeptIndex kept = assertIndexedAsByTheIndexer(file);
      assertThat(kept.chunks()).hasSizeGreaterThan(longest > 500_000 ? 2 : 4);
      assertThat(kept.fingerprint()).endsWith(kind.format().name());
    }
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void writesInPiecesOfAnySizeGiveTheSameIndex(ContainerKind kind) throws IOException {
    Random random = new Random(5);
    for (int longestPiece : new int[] {3, 60, 3000, 200_000, 3_000_000}) {
      byte[] content = kind.file(ContainerKind.records(longestPiece, 300_000, 4000));
      // The single bytes of a file's begin are the interesting ones.
      content = longestPiece < 100 ? kind.file(ContainerKind.records(1, 20_000, 400)) : content;
      Path file = new Path(dir, kind + "-" + longestPiece);
      try (FSDataOutputStream out = fs.create(file)) {
        for (int at = 0; at < content.length; ) {
          int count = Math.min(content.length - at, 1 + random.nextInt(longestPiece));
          out.write(content, at, count);
          at += count;
          if (at < 700 && longestPiece < 100) {
            out.hflush();
            assertThat(read(file)).isEqualTo(Arrays.copyOf(content, at));
          } else if (random.nextInt(50) == 0) {
            out.flush();
          }
        }
      }
      assertThat(read(file)).isEqualTo(content);
      assertIndexedAsByTheIndexer(file);
    }
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void aFileWrittenAgainHasEqualDigestsAndBlocks(ContainerKind kind) throws IOException {
    List<byte[]> records = ContainerKind.records(3, 12 << 20, 3000);
    Path one = new Path(dir, kind + "-one");
    Path other = new Path(dir, kind + "-other");
    for (Path file : List.of(one, other)) {
      try (FSDataOutputStream out = fs.create(file)) {
        kind.write(out, records);
      }
    }
    assertThat(read(one)).isNotEqualTo(read(other));
    assertThat(kept(one)).isPresent().isEqualTo(kept(other));
    assertThat(blockEnds(one)).isEqualTo(blockEnds(other));
    Set<Long> cuts =
        kept(one).orElseThrow().chunks().stream().map(Chunk::end).collect(Collectors.toSet());
    List<Long> ends = blockEnds(one);
    assertThat(ends.stream().filter(cuts::contains).count()).isGreaterThan(ends.size() * 70L / 100);
    assertThat(ends.size()).isBetween(12, 15);
  }

  @Test
  void whatOnlyBeginsLikeAContainerIsWrittenAsGivenAndHasNoIndex() throws IOException {
    byte[] text = Content.text(1, 200_000);
    for (ContainerKind kind : ContainerKind.values()) {
      byte[] whole = kind.file(ContainerKind.records(2, 100_000, 1000));
      byte[] damaged = whole.clone();
      int header = (int) headerBytes(kind, whole);
      damaged[whole.length / 2] ^= 1;
      Arrays.fill(damaged, header, header + 9, (byte) 0x81);
      List<byte[]> contents =
          List.of(
              Content.concat(Arrays.copyOf(whole, 4), text),
              Content.concat(Arrays.copyOf(whole, header), text),
              Arrays.copyOf(whole, 4),
              Arrays.copyOf(whole, header - 1),
              Arrays.copyOf(whole, header),
              Arrays.copyOf(whole, header + 1),
              Arrays.copyOf(whole, whole.length - 1),
              damaged);
      for (byte[] content : contents) {
        Path file = new Path(dir, kind + "-" + contents.indexOf(content));
        long before = WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.NOT_CUTTABLE);
        try (FSDataOutputStream out = fs.create(file)) {
          out.write(content, 0, content.length / 2);
          out.write(content, content.length / 2, content.length - content.length / 2);
        }
        assertThat(read(file)).isEqualTo(content);
        assertThat(kept(file)).as("%s", file).isEmpty();
        assertThat(WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.NOT_CUTTABLE))
            .isEqualTo(before + 1);
      }
    }
  }

  @Test
  void textThatBeginsLikeAMagicStaysText() throws IOException {
    byte[] text = Content.text(1, 200_000);
    for (String begin : List.of("S", "SE", "SEQ", "Obj", "SEQ\u0005", "SEQ ", "Obj\u0002")) {
      byte[] content = Content.concat(begin.getBytes(StandardCharsets.US_ASCII), text);
      Path file = new Path(dir, "f");
      try (FSDataOutputStream out = fs.create(file)) {
        out.write(content[0]);
        out.hflush();
        out.write(content, 1, 1);
        out.hsync();
        out.write(content, 2, content.length - 2);
      }
      assertThat(read(file)).isEqualTo(content);
      assertThat(KeptIndex.of(MiniHdfs.conf(), stock, file)).isPresent();
      assertIndexedAsByTheIndexer(file);
    }
    for (String whole : List.of("S", "SEQ", "Ob")) {
      Path file = new Path(dir, "whole");
      write(fs.create(file), whole.getBytes(StandardCharsets.US_ASCII));
      assertThat(KeptIndex.of(MiniHdfs.conf(), stock, file)).isPresent();
    }
  }

  @Test
  void containersAreKnownWhateverEndsTheOthersRecords() throws IOException {
    for (String records : List.of("none", "delimiter:7c", "fixed:100")) {
      Configuration conf = MiniHdfs.conf();
      conf.set(HdfsKeys.WRITE_RECORDS.name(), records);
      Path file = new Path(dir, records.replace(':', '-'));
      try (IncrementalFileSystem client = MiniHdfs.client(conf);
          FSDataOutputStream out = client.create(file)) {
        ContainerKind.AVRO.write(out, ContainerKind.records(1, 300_000, 1000));
      }
      assertIndexedAsByTheIndexer(file);
    }
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void appendedRecordsContinueTheChunks(ContainerKind kind) throws IOException {
    Path file = new Path(dir, kind.toString());
    try (FSDataOutputStream out = fs.create(file)) {
      kind.write(out, ContainerKind.records(1, 1_500_000, 3000));
    }
    List<Chunk> before = assertIndexedAsByTheIndexer(file).chunks();
    int seed = 2;
    for (int more : new int[] {1, 100_000, 1_200_000, 10}) {
      append(kind, file, ContainerKind.records(seed++, more, 3000));
      KeptIndex kept = assertIndexedAsByTheIndexer(file);
      assertThat(kept.chunks())
          .startsWith(before.subList(0, before.size() - 1).toArray(Chunk[]::new));
      before = kept.chunks();
    }
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void appendToWhatHasNoIndexReadsItIfItIsShort(ContainerKind kind) throws IOException {
    Configuration conf = MiniHdfs.conf();
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 100_000);
    List<byte[]> more = ContainerKind.records(2, 200_000, 3000);
    try (IncrementalFileSystem client = MiniHdfs.client(conf)) {
      byte[] whole = kind.file(ContainerKind.records(1, 150_000, 3000));
      // Cut within the magic, within the header, in the middle, and nowhere.
      for (int length : new int[] {1, 3, 4, 20, 50_000, 99_999}) {
        Path file = new Path(dir, kind + "-" + length);
        write(stock.create(file), Arrays.copyOf(whole, length));
        try (FSDataOutputStream out = client.append(file)) {
          out.write(whole, length, 1);
          out.hflush();
          out.write(whole, length + 1, whole.length - length - 1);
        }
        assertThat(read(file)).isEqualTo(whole);
        assertIndexedAsByTheIndexer(file);
      }
    }
    Path empty = new Path(dir, kind + "-empty");
    try (FSDataOutputStream out = fs.create(empty)) {
      kind.write(out, List.of());
    }
    assertThat(kept(empty)).isEmpty();
    Path indexed = new Path(dir, kind + "-indexed");
    write(stock.create(indexed), read(empty));
    index(indexed);
    assertThat(kept(indexed)).isPresent();
    append(kind, indexed, more);
    assertIndexedAsByTheIndexer(indexed);
  }

  @Test
  void appendToALongContainerWithoutAnIndexGivesNone() throws IOException {
    Path file = new Path(dir, "f");
    write(stock.create(file), ContainerKind.AVRO.file(ContainerKind.records(1, 300_000, 1000)));
    long before = WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED);
    append(ContainerKind.AVRO, file, ContainerKind.records(2, 300_000, 1000));
    assertThat(kept(file)).isEmpty();
    assertThat(WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED)).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void appendedTextSpoilsAContainer(ContainerKind kind) throws IOException {
    Path file = new Path(dir, kind.toString());
    byte[] content = kind.file(ContainerKind.records(1, 300_000, 1000));
    write(fs.create(file), content);
    assertIndexedAsByTheIndexer(file);
    byte[] text = Content.text(1, 200_000);
    write(fs.append(file), text);
    assertThat(read(file)).isEqualTo(Content.concat(content, text));
    assertThat(kept(file)).isEmpty();
  }

  private void append(ContainerKind kind, Path file, List<byte[]> records) throws IOException {
    if (kind.isAvro()) {
      try (FSDataOutputStream out = fs.append(file)) {
        ContainerKind.append(
            kind.avroWriter().appendTo(new FsInput(file, stock.getConf()), out), records);
      }
    } else {
      kind.append(
          MiniHdfs.conf(),
          records,
          SequenceFile.Writer.file(stock.makeQualified(file)),
          SequenceFile.Writer.appendIfExists(true));
    }
  }

  private static long headerBytes(ContainerKind kind, byte[] file) throws IOException {
    var scan = kind.format().scan(boundary -> {});
    scan.accept(file.clone(), 0, file.length);
    return scan.header().length();
  }

  /** The index of a file is that of a stock copy, which this makes. */
  private KeptIndex assertIndexedAsByTheIndexer(Path file) throws IOException {
    Path copy = new Path(dir, "copy-of-" + file.getName());
    write(stock.create(copy, true), read(file));
    index(copy);
    Optional<KeptIndex> oracle = kept(copy);
    assertThat(oracle).isPresent();
    Optional<KeptIndex> kept = kept(file);
    assertThat(kept).as("%s", file).isEqualTo(oracle);
    return kept.orElseThrow();
  }

  private void index(Path file) throws IOException {
    List<FileIndexer.Outcome> outcomes = new ArrayList<>();
    try (FileIndexer indexer = new FileIndexer(MiniHdfs.conf(), 1, read -> {})) {
      FileStatus status = stock.getFileStatus(file);
      indexer.index(List.of(status), outcomes::add);
    }
    assertThat(outcomes).allMatch(outcome -> outcome.reason().isEmpty() && !outcome.known());
  }

  private static void write(OutputStream out, byte[] content) throws IOException {
    try (out) {
      out.write(content);
    }
  }

  private byte[] read(Path file) throws IOException {
    try (FSDataInputStream in = stock.open(file)) {
      return in.readAllBytes();
    }
  }

  private List<Long> blockEnds(Path file) throws IOException {
    FileStatus status = stock.getFileStatus(file);
    return Arrays.stream(stock.getFileBlockLocations(status, 0, status.getLen()))
        .map((BlockLocation block) -> block.getOffset() + block.getLength())
        .toList();
  }

  private Optional<KeptIndex> kept(Path file) throws IOException {
    return KeptIndex.ofAny(MiniHdfs.conf(), stock, file);
  }
}
