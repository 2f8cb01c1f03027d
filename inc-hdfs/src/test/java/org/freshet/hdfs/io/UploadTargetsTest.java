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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.freshet.hdfs.HdfsKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Directories in which HDFS does not let parts be joined, or not every file be made. */
class UploadTargetsTest extends UploadTestCase {
  /** Enough for several parts. */
  private static final byte[] CONTENT = Content.text(1, 20_000_000);

  private static final byte[] BEFORE = Content.text(2, 5_000_000);

  private java.nio.file.Path file;
  private Path copy;

  @BeforeEach
  void makeFile() throws IOException {
    stock.mkdirs(dir);
    file = write("f", CONTENT);
    copy = new Path(dir, "copy");
  }

  @AfterEach
  void liftQuota() throws IOException {
    stock.setQuota(dir, HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_RESET);
  }

  private void requireOneStream(Uploader.Outcome outcome, String why) throws IOException {
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.whyOneStream()).hasValueSatisfying(said -> assertThat(said).contains(why));
    assertThat(read(copy)).isEqualTo(CONTENT);
    assertNoParts();
  }

  @Test
  void erasureCodedPartsAreJoined() throws IOException {
    stock.enableErasureCodingPolicy("XOR-2-1-1024k");
    stock.setErasureCodingPolicy(dir, "XOR-2-1-1024k");
    Uploader.Outcome outcome = put(file, copy);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.whyOneStream()).isEmpty();
    assertThat(read(copy)).isEqualTo(CONTENT);
    assertNoParts();
    assertThat(stock.getErasureCodingPolicy(copy)).isNotNull();
    assertIndexed(copy, CONTENT);
    byte[] few = Content.text(3, 100_000);
    Path small = new Path(dir, "small");
    assertThat(put(write("small", few), small).whyOneStream()).isEmpty();
    assertIndexed(small, few);
  }

  @Test
  void partsOfOtherErasureCodingAreSentAgainInOneStream() throws IOException {
    assertThat(put(file, copy, failingAfter(CONTENT.length / 2)).error()).isPresent();
    stock.enableErasureCodingPolicy("XOR-2-1-1024k");
    stock.setErasureCodingPolicy(dir, "XOR-2-1-1024k");
    stock.setErasureCodingPolicy(directoryOfParts(), "XOR-2-1-1024k");
    requireOneStream(put(file, copy), "erasure coding");
    assertThat(stock.getErasureCodingPolicy(copy)).isNotNull();
    assertIndexed(copy, CONTENT);
  }

  @Test
  void filesInAnEncryptionZoneAreSentInOneStream() throws Exception {
    KeyProvider keys = MiniHdfs.cluster().getNameNode().getNamesystem().getProvider();
    keys.createKey("upload", new KeyProvider.Options(conf).setBitLength(128));
    keys.flush();
    stock.getClient().setKeyProvider(keys);
    new HdfsAdmin(stock.getUri(), conf)
        .createEncryptionZone(dir, "upload", EnumSet.noneOf(CreateEncryptionZoneFlag.class));
    conf.set(HdfsKeys.INDEX_DIR.name(), dir.toUri().getPath() + "/indexes");
    Uploader.Outcome without = put(file, copy);
    requireOneStream(without, "encryption zone");
    assertThat(stock.getFileStatus(copy).isEncrypted()).isTrue();
    assertThat(without.indexed()).isFalse();
    assertThat(KeptIndex.ofAny(conf, stock, copy)).isEmpty();

    conf.setBoolean(HdfsKeys.WRITE_ENCRYPTED.name(), true);
    assertThat(put(file, copy).indexed()).isTrue();
    assertIndexed(copy, CONTENT);
    conf.set(HdfsKeys.INDEX_DIR.name(), "/indexes-in-the-clear");
    assertThat(put(file, copy).indexed()).isFalse();
  }

  @Test
  void aViewOfOtherFileSystemsIsLookedThrough() throws IOException {
    conf.set("fs.viewfs.mounttable.uploads.link./data", stock.makeQualified(dir).toString());
    Path named = new Path("viewfs://uploads/data/sub/copy");
    Uploader.Outcome outcome = put(file, named);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.indexed()).isTrue();
    assertThat(outcome.whyOneStream()).isEmpty();
    Path below = new Path(dir, "sub/copy");
    assertThat(read(below)).isEqualTo(CONTENT);
    assertThat(read(named)).isEqualTo(CONTENT);
    assertIndexed(below, CONTENT);
    try (FileSystem view = FileSystem.newInstance(named.toUri(), conf)) {
      assertThat(KeptIndex.of(conf, view, named)).isPresent();
    }
    assertThat(names(below.getParent())).containsExactly("copy");
    Uploader.Outcome again = put(file, named);
    assertThat(again.kept().orElseThrow().chunks()).isEqualTo(again.chunks());
  }

  @Test
  void aSnapshotKeepsWhatWasReplaced() throws IOException {
    assertThat(put(write("before", BEFORE), copy).error()).isEmpty();
    stock.allowSnapshot(dir);
    stock.createSnapshot(dir, "s");
    Uploader.Outcome outcome = put(file, copy);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.whyOneStream()).isEmpty();
    assertThat(read(copy)).isEqualTo(CONTENT);
    assertIndexed(copy, CONTENT);
    assertThat(read(new Path(dir, ".snapshot/s/copy"))).isEqualTo(BEFORE);
    assertNoParts();
  }

  @Test
  void partsThatASnapshotKeepsAreSentAgainInOneStream() throws IOException {
    stock.allowSnapshot(dir);
    assertThat(put(file, copy, failingAfter(CONTENT.length / 2)).error()).isPresent();
    Path parts = directoryOfParts();
    assertThat(names(parts)).hasSizeGreaterThan(1);
    stock.createSnapshot(dir, "s");
    requireOneStream(put(file, copy), "snapshot");
    assertIndexed(copy, CONTENT);
    assertThat(names(new Path(dir, ".snapshot/s/" + parts.getName()))).hasSizeGreaterThan(1);
  }

  @Test
  void partsOfOtherBlockSizesAreSentAgainInOneStream() throws IOException {
    assertThat(put(file, copy, failingAfter(CONTENT.length / 2)).error()).isPresent();
    Path first = new Path(directoryOfParts(), "part-00000");
    byte[] part = read(first);
    try (FSDataOutputStream out =
        stock.create(first, true, 4096, (short) 1, MiniHdfs.BLOCK_BYTES / 2)) {
      out.write(part);
    }
    requireOneStream(put(file, copy), "block size");
    assertIndexed(copy, CONTENT);
  }

  @Test
  void anExceededSpaceQuotaIsToldAndPartsStay() throws IOException {
    for (byte[] content : List.of(CONTENT, Content.text(4, LARGE))) {
      java.nio.file.Path large = write("large", content);
      assertThat(put(write("before", BEFORE), copy).error()).isEmpty();
      long blocks = 8 + content.length / 2 / MiniHdfs.BLOCK_BYTES;
      stock.setQuota(dir, HdfsConstants.QUOTA_DONT_SET, blocks * MiniHdfs.BLOCK_BYTES);
      Uploader.Outcome outcome = put(large, copy);
      Path parts = directoryOfParts();
      assertThat(outcome.error().orElseThrow())
          .hasMessageContaining("quota")
          .hasMessageContaining(dir.toString())
          .hasMessageContaining(parts.getName())
          .hasMessageContaining("put the file again");
      assertThat(read(copy)).isEqualTo(BEFORE);
      assertThat(names(parts)).isNotEmpty().allMatch(name -> name.matches("part-\\d{5}"));
      liftQuota();
      Uploader.Outcome resumed = put(large, copy);
      assertThat(resumed.error()).isEmpty();
      assertThat(resumed.resumedBytes()).isPositive();
      assertThat(read(copy)).isEqualTo(content);
      assertIndexed(copy, content);
      assertNoParts();
    }
  }

  @Test
  void anExceededNameQuotaIsToldAndNothingStays() throws IOException {
    for (int names = 1; names <= 3; names++) {
      stock.setQuota(dir, names, HdfsConstants.QUOTA_DONT_SET);
      Uploader.Outcome outcome = put(file, copy);
      assertThat(outcome.error().orElseThrow())
          .hasMessageContaining("quota")
          .hasMessageContaining("put the file again");
      assertThat(stock.exists(copy)).isFalse();
      List<Path> left = Arrays.stream(stock.listStatus(dir)).map(s -> s.getPath()).toList();
      assertThat(left).hasSize(names == 3 ? 1 : 0);
      if (names == 3) {
        assertThat(names(left.get(0))).containsExactly("part-00000");
      }
    }
  }
}
