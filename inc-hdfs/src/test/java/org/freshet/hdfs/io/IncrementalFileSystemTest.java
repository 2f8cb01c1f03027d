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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * The oracle of chunks is {@link Chunker} over the whole content; that of bytes, a stock client.
 */
@Timeout(120)
class IncrementalFileSystemTest {
  private DistributedFileSystem stock;
  private IncrementalFileSystem fs;
  private Path dir;
  private ChunkerConfig chunker;

  @BeforeEach
  void connect(TestInfo test) throws IOException {
    stock = MiniHdfs.stock();
    fs = MiniHdfs.client();
    dir = new Path("/" + test.getTestMethod().orElseThrow().getName());
    stock.mkdirs(dir);
    chunker = WriteSettings.of(MiniHdfs.conf()).chunker();
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.close();
  }

  @Test
  void writesInPiecesOfAnySizeGiveTheChunksOfTheWhole() throws IOException {
    Random random = new Random(7);
    for (int size : new int[] {1, 100, 65_536, 65_537, 1_000_000, 5_000_000}) {
      Path file = new Path(dir, "f" + size);
      byte[] content = Content.text(size, size);
      try (FSDataOutputStream out = fs.create(file)) {
        for (int at = 0; at < size; ) {
          int count = Math.min(size - at, 1 + random.nextInt(random.nextBoolean() ? 40 : 90_000));
          if (count == 1) {
            out.write(content[at]);
          } else {
            out.write(content, at, count);
          }
          at += count;
          assertThat(out.getPos()).isEqualTo(at);
        }
      }
      assertIndexed(file, content);
    }
  }

  @Test
  void dataOutputMethodsGoThroughTheChunker() throws IOException {
    Path file = new Path(dir, "f");
    try (FSDataOutputStream out = fs.create(file)) {
      for (int i = 0; i < 100_000; i++) {
        out.writeInt(i);
        out.writeUTF("é" + i);
        out.writeLong(i);
        out.writeByte('\n');
      }
      assertThat(out.getPos()).isEqualTo(out.size());
    }
    assertIndexed(file, read(file));
  }

  @Test
  void everyWayToCreateIsChunked() throws IOException {
    byte[] content = Content.text(1, 300_000);
    Path builder = new Path(dir, "builder");
    write(fs.createFile(builder).blockSize(MiniHdfs.BLOCK_BYTES).recursive().build(), content);
    assertIndexed(builder, content);
    Path nonRecursive = new Path(dir, "nonRecursive");
    write(
        fs.createNonRecursive(nonRecursive, true, 4096, (short) 1, MiniHdfs.BLOCK_BYTES, null),
        content);
    assertIndexed(nonRecursive, content);
    Path flags = new Path(dir, "flags");
    write(
        fs.create(
            flags,
            FsPermission.getFileDefault(),
            EnumSet.of(CreateFlag.CREATE),
            4096,
            (short) 1,
            MiniHdfs.BLOCK_BYTES,
            null,
            null),
        content);
    assertIndexed(flags, content);
    Path overwritten = new Path(dir, "flags");
    byte[] other = Content.text(2, 310_000);
    write(fs.create(overwritten, true), other);
    assertIndexed(overwritten, other);
  }

  @Test
  void fileContextsAreChunkedToo() throws IOException {
    FileContext context = FileContext.getFileContext(stock.getUri(), MiniHdfs.conf());
    byte[] content = Content.text(3, 2_500_000);
    Path file = new Path(dir, "f");
    write(
        context.create(file, EnumSet.of(CreateFlag.CREATE), CreateOpts.blockSize(1 << 20)),
        content);
    assertIndexed(file, content);
    byte[] more = Content.text(4, 700_000);
    write(context.create(file, EnumSet.of(CreateFlag.APPEND)), more);
    assertIndexed(file, Content.concat(content, more));
    Path absent = new Path(dir, "absent");
    write(context.create(absent, EnumSet.of(CreateFlag.CREATE, CreateFlag.APPEND)), more);
    assertIndexed(absent, more);
    assertThat(context.listStatus(dir).hasNext()).isTrue();
  }

  @Test
  void blocksEndAtChunkCutsAndAreAboutAsManyAsStock() throws IOException {
    byte[] content = Content.text(5, 60 << 20);
    Path file = new Path(dir, "f");
    write(fs.create(file), content);
    assertIndexed(file, content);
    FileStatus status = stock.getFileStatus(file);
    assertThat(status.getBlockSize()).isEqualTo(MiniHdfs.BLOCK_BYTES);
    BlockLocation[] blocks = stock.getFileBlockLocations(status, 0, status.getLen());
    Set<Long> cuts = oracle(content).stream().map(Chunk::end).collect(Collectors.toSet());
    long atCuts =
        Arrays.stream(blocks).filter(b -> cuts.contains(b.getOffset() + b.getLength())).count();
    assertThat(blocks.length).isBetween(60, 66);
    assertThat(atCuts).isGreaterThan(blocks.length * 70L / 100);
    assertThat(blocks).allMatch(b -> b.getLength() <= MiniHdfs.BLOCK_BYTES);
  }

  @Test
  void blocksAreFoundAgainAfterSmallEdits() throws IOException {
    byte[] content = Content.text(6, 30 << 20);
    Path before = new Path(dir, "before");
    write(fs.create(before), content);
    byte[] edit = "an inserted line\n".getBytes(StandardCharsets.US_ASCII);
    int at = 3 << 20;
    byte[] edited =
        Content.concat(
            Content.concat(Arrays.copyOf(content, at), edit),
            Arrays.copyOfRange(content, at, content.length));
    Path after = new Path(dir, "after");
    write(fs.create(after), edited);
    Set<Long> old = blockEnds(before);
    Set<Long> moved =
        blockEnds(after).stream()
            .map(end -> end > at ? end - edit.length : end)
            .collect(Collectors.toSet());
    long same = moved.stream().filter(old::contains).count();
    assertThat(same).isGreaterThan(old.size() * 8L / 10);
  }

  @Test
  void flushedBytesAreSeenByReaders() throws IOException {
    byte[] content = Content.text(8, 400_000);
    Path file = new Path(dir, "f");
    try (FSDataOutputStream out = fs.create(file)) {
      assertThat(out.hasCapability("hflush")).isTrue();
      int at = 0;
      for (int to : new int[] {1, 2, 100, 64 << 10, 200_000, 200_000, 399_999, 400_000}) {
        out.write(content, at, to - at);
        at = to;
        if (to % 2 == 0) {
          out.hflush();
        } else {
          out.hsync();
        }
        assertThat(read(file)).isEqualTo(Arrays.copyOf(content, to));
      }
    }
    assertIndexed(file, content);
  }

  @Test
  void aBlockEndedByTheWriterIsNoTrouble() throws IOException {
    byte[] content = Content.text(9, 3_000_000);
    Path file = new Path(dir, "f");
    try (HdfsDataOutputStream out = (HdfsDataOutputStream) fs.create(file)) {
      out.write(content, 0, 1_234_567);
      out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
      assertThat(out.getCurrentBlockReplication()).isEqualTo(1);
      out.write(content, 1_234_567, content.length - 1_234_567);
      out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
      assertThat(stock.getFileStatus(file).getLen()).isEqualTo(content.length);
    }
    assertIndexed(file, content);
    assertThat(blockEnds(file)).contains(1_234_567L);
  }

  @Test
  void appendedPartsContinueTheChunks() throws IOException {
    Path file = new Path(dir, "f");
    byte[] content = Content.text(10, 1_700_000);
    write(fs.create(file), content);
    int seed = 11;
    for (int more : new int[] {1, 70_000, 10, 3_000_000, 513, 0}) {
      byte[] added = Content.text(seed++, more);
      write(fs.append(file), added);
      content = Content.concat(content, added);
      assertIndexed(file, content);
    }
    byte[] added = Content.text(seed, 2_000_000);
    write(fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 4096, null), added);
    assertIndexed(file, Content.concat(content, added));
    Path built = new Path(dir, "f");
    write(fs.appendFile(built).build(), added);
    assertIndexed(built, Content.concat(Content.concat(content, added), added));
  }

  @Test
  void appendToALongFileWithoutAnIndexGivesNone() throws IOException {
    Path file = new Path(dir, "f");
    write(stock.create(file), Content.text(12, 300_000));
    long before = WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED);
    write(fs.append(file), Content.text(13, 1000));
    assertThat(kept(file)).isEmpty();
    assertThat(WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED)).isEqualTo(before + 1);
  }

  @Test
  void aShortFileIsReadWhenWhatIsAppendedMakesItLong() throws IOException {
    Configuration conf = MiniHdfs.conf();
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 200_000);
    Path file = new Path(dir, "f");
    byte[] content = Content.text(14, 350_000);
    try (IncrementalFileSystem client = MiniHdfs.client(conf)) {
      write(client.create(file), Arrays.copyOf(content, 100_000));
      FileSystem.Statistics statistics =
          FileSystem.getStatistics(client.getScheme(), IncrementalFileSystem.class);
      long readBefore = statistics.getBytesRead();
      long shortBefore = WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.SHORT);
      write(client.append(file), Arrays.copyOfRange(content, 100_000, 150_000));
      assertThat(kept(file)).isEmpty();
      assertThat(WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.SHORT))
          .isEqualTo(shortBefore + 1);
      try (FSDataOutputStream out = client.append(file)) {
        int at = 150_000;
        for (; at + 1000 < 200_000; at += 1000) {
          out.write(content, at, 1000);
          out.hflush();
        }
        assertThat(statistics.getBytesRead()).isEqualTo(readBefore);
        for (; at < content.length; at += 1000) {
          out.write(content, at, 1000);
        }
      }
      assertThat(statistics.getBytesRead()).isGreaterThanOrEqualTo(readBefore + 150_000);
    }
    assertIndexed(file, content);
  }

  @Test
  void muchAppendedToAShortFileIsNotAllRemembered() throws IOException {
    Configuration conf = MiniHdfs.conf();
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 1_200_000);
    Path file = new Path(dir, "f");
    byte[] content = Content.text(14, 1_200_000);
    int first = 100_000;
    try (IncrementalFileSystem client = MiniHdfs.client(conf)) {
      write(client.create(file), Arrays.copyOf(content, first));
      FileSystem.Statistics statistics =
          FileSystem.getStatistics(client.getScheme(), IncrementalFileSystem.class);
      long readBefore = statistics.getBytesRead();
      try (FSDataOutputStream out = client.append(file)) {
        out.write(content, first, 1 << 20);
        assertThat(statistics.getBytesRead()).isEqualTo(readBefore);
        int at = first + (1 << 20);
        out.write(content, at, 1);
        assertThat(statistics.getBytesRead()).isGreaterThanOrEqualTo(readBefore + first);
        out.write(content, at + 1, content.length - at - 1);
      }
    }
    assertIndexed(file, content);
  }

  @Test
  void aShortFileThatCannotBeReadIsAppendedToWithoutAnIndex() throws IOException {
    Configuration conf = MiniHdfs.conf();
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 200_000);
    Path file = new Path(dir, "f");
    Path moved = new Path(dir, "moved");
    byte[] content = Content.text(14, 100_000);
    byte[] more = Content.text(15, 150_000);
    try (IncrementalFileSystem client = MiniHdfs.client(conf)) {
      write(client.create(file), content);
      long before = WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED);
      try (FSDataOutputStream out = client.append(file)) {
        assertThat(stock.rename(file, moved)).isTrue();
        out.write(more);
      }
      assertThat(WriteMetrics.OF_THIS_JVM.notIndexedSoFar(NoIndex.APPENDED)).isEqualTo(before + 1);
    }
    assertThat(read(moved)).isEqualTo(Content.concat(content, more));
    assertThat(kept(moved)).isEmpty();
  }

  @Test
  void indexesSurviveRenameAndNoChange() throws IOException {
    byte[] content = Content.text(16, 500_000);
    Path file = new Path(dir, "f");
    write(fs.create(file), content);
    Path moved = new Path(dir, "moved");
    assertThat(fs.rename(file, moved)).isTrue();
    assertIndexed(moved, content);
    assertThat(fs.truncate(moved, 400_000)).isIn(true, false);
    assertThat(kept(moved)).isEmpty();
  }

  @Test
  void concatenatedFilesHaveNone() throws IOException {
    Path one = new Path(dir, "one");
    Path two = new Path(dir, "two");
    write(fs.create(one), Content.text(17, MiniHdfs.BLOCK_BYTES / 2));
    write(fs.create(two), Content.text(18, 300_000));
    fs.concat(one, new Path[] {two});
    assertThat(kept(one)).isEmpty();
    assertThat(read(one)).hasSize(MiniHdfs.BLOCK_BYTES / 2 + 300_000);
  }

  @Test
  void aFileChangedOrReplacedAfterClosingIsNotTakenForTheOneWritten() throws IOException {
    byte[] content = Content.text(19, 100_000);
    for (String change : List.of("none", "append", "truncate", "replace", "delete", "reopen")) {
      Path file = new Path(dir, change);
      FSDataOutputStream out = stock.create(file);
      DFSOutputStream dfs = (DFSOutputStream) out.getWrappedStream();
      out.write(content);
      out.close();
      switch (change) {
        case "append" -> write(stock.append(file), new byte[] {1});
        case "truncate" -> {
          stock.truncate(file, content.length - 1);
          write(recoveredAppend(file), new byte[] {1});
        }
        case "replace" -> write(stock.create(file, true), content);
        case "delete" -> stock.delete(file, false);
        case "reopen" -> write(stock.append(file), new byte[0]);
        default -> {}
      }
      WrittenFile written =
          new WrittenFile(
              stock, stock.getClient(), WriteSettings.of(MiniHdfs.conf()), file.toUri().getPath());
      Optional<WrittenFile.Version> version = written.versionOf(dfs, content.length);
      assertThat(version.isPresent()).as(change).isEqualTo(change.equals("none"));
    }
  }

  @Test
  void closingTheFileSystemClosesItsStreamsWithAllBytes() throws IOException {
    byte[] content = Content.text(20, 100_000);
    Path file = new Path(dir, "f");
    IncrementalFileSystem client = MiniHdfs.client();
    FSDataOutputStream out = client.create(file);
    out.write(content);
    client.close();
    assertIndexed(file, content);
    assertThatThrownBy(() -> out.write(content)).isInstanceOf(IOException.class);
    out.close();
  }

  @Test
  void closeMayBeRepeatedAndNothingCanBeWrittenAfterwards() throws IOException {
    Path file = new Path(dir, "f");
    FSDataOutputStream out = fs.create(file);
    out.write(Content.text(21, 1000));
    out.close();
    out.close();
    assertThatThrownBy(() -> out.write(new byte[10])).isInstanceOf(IOException.class);
    assertThatThrownBy(out::hflush).isInstanceOf(IOException.class);
    assertThat(out.getPos()).isEqualTo(1000);
    assertThatThrownBy(out::abort).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void whoTakesTheStreamBelowGetsAPlainStream() throws IOException {
    byte[] content = Content.text(22, 300_000);
    Path file = new Path(dir, "f");
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(content, 0, 100_000);
      OutputStream below = out.getWrappedStream();
      assertThat(below).isInstanceOf(DFSOutputStream.class);
      out.write(content, 100_000, 200_000);
      ((DFSOutputStream) below).hflush();
      assertThat(read(file)).isEqualTo(content);
    }
    assertThat(read(file)).isEqualTo(content);
    assertThat(kept(file)).isEmpty();
  }

  @Test
  void onlyCoveredFilesAreChunked() throws IOException {
    byte[] content = Content.text(23, 100_000);
    for (String name : List.of("_hidden", ".hidden", ".freshet/f")) {
      Path file = new Path(dir, name);
      write(fs.create(file), content);
      assertThat(read(file)).isEqualTo(content);
      assertThat(kept(file)).as(name).isEmpty();
    }
    Path temporary = new Path(dir, "_temporary/f");
    write(fs.create(temporary), content);
    assertIndexed(temporary, content);
  }

  @Test
  void byteOrderMarksAreTold() throws IOException {
    Path file = new Path(dir, "f");
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(0xEF);
      out.write(0xBB);
      out.write(0xBF);
    }
    assertThat(kept(file).orElseThrow().startsWithBom()).isTrue();
    Path half = new Path(dir, "half");
    write(fs.create(half), new byte[] {(byte) 0xEF, (byte) 0xBB});
    assertThat(kept(half).orElseThrow().startsWithBom()).isFalse();
    write(fs.append(half), new byte[] {(byte) 0xBF});
    assertThat(kept(half).orElseThrow().startsWithBom()).isTrue();
  }

  @Test
  void erasureCodedFilesAreIndexedButTheirBlocksAreHdfss() throws IOException {
    stock.enableErasureCodingPolicy("XOR-2-1-1024k");
    stock.setErasureCodingPolicy(dir, "XOR-2-1-1024k");
    byte[] content = Content.text(24, 9_000_000);
    Path file = new Path(dir, "f");
    write(fs.create(file), content);
    assertThat(stock.getErasureCodingPolicy(file)).isNotNull();
    assertIndexed(file, content);
  }

  @Test
  void encryptedFilesAreIndexedOnlyIfAskedFor() throws Exception {
    KeyProvider keys = MiniHdfs.cluster().getNameNode().getNamesystem().getProvider();
    keys.createKey("key", new KeyProvider.Options(MiniHdfs.conf()).setBitLength(128));
    keys.flush();
    stock
        .getClient()
        .setKeyProvider(MiniHdfs.cluster().getNameNode().getNamesystem().getProvider());
    new HdfsAdmin(stock.getUri(), MiniHdfs.conf())
        .createEncryptionZone(dir, "key", EnumSet.noneOf(CreateEncryptionZoneFlag.class));
    byte[] content = Content.text(25, 2_700_000);
    Path without = new Path(dir, "without");
    write(fs.create(without), content);
    assertThat(kept(without)).isEmpty();
    Configuration conf = MiniHdfs.conf();
    conf.setBoolean(HdfsKeys.WRITE_ENCRYPTED.name(), true);
    conf.set(HdfsKeys.INDEX_DIR.name(), dir.toUri().getPath() + "/indexes");
    Path with = new Path(dir, "with");
    try (IncrementalFileSystem client = MiniHdfs.client(conf)) {
      FSDataOutputStream out = client.create(with);
      out.write(content, 0, 100_001);
      out.hflush();
      out.write(content, 100_001, content.length - 100_001);
      out.close();
      byte[] more = Content.text(26, 300_000);
      write(client.append(with), more);
      content = Content.concat(content, more);
    }
    assertThat(read(with)).isEqualTo(content);
    assertThat(KeptIndex.of(conf, stock, with).map(KeptIndex::chunks)).contains(oracle(content));
  }

  private FSDataOutputStream recoveredAppend(Path file) throws IOException {
    for (int i = 0; i < 600 && !stock.isFileClosed(file); i++) {
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    return stock.append(file);
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

  private Set<Long> blockEnds(Path file) throws IOException {
    FileStatus status = stock.getFileStatus(file);
    return Arrays.stream(stock.getFileBlockLocations(status, 0, status.getLen()))
        .map(block -> block.getOffset() + block.getLength())
        .collect(Collectors.toSet());
  }

  private List<Chunk> oracle(byte[] content) {
    return new Chunker(chunker).chunk(content);
  }

  private Optional<KeptIndex> kept(Path file) throws IOException {
    return KeptIndex.of(MiniHdfs.conf(), stock, file);
  }

  private void assertIndexed(Path file, byte[] content) throws IOException {
    assertThat(Arrays.equals(read(file), content)).as("content of %s", file).isTrue();
    assertThat(kept(file).map(KeptIndex::chunks)).contains(oracle(content));
  }
}
