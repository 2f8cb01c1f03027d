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
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.shredder.ByteSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The oracle is the format, which reads the local file. */
class ContainerUploadTest extends UploadTestCase {
  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void filesOfAnySizeArriveWithTheChunksAndBlocksOfOneStream(ContainerKind kind)
      throws IOException {
    for (int bytes : new int[] {1, 100_000, 3_000_000, 20_000_000}) {
      requireCopied(kind, "f-" + kind + bytes, kind.file(ContainerKind.records(1, bytes, 5000)));
    }
  }

  @Test
  void partsOfLargeFilesAreDigestedApart() throws IOException {
    ContainerKind kind = ContainerKind.SEQUENCE_FILE;
    requireCopied(kind, "f", kind.file(ContainerKind.records(1, LARGE, 20_000)));
  }

  private void requireCopied(ContainerKind kind, String name, byte[] content) throws IOException {
    Path copy = new Path(dir, name);
    Uploader.Outcome outcome = put(write(name, content), copy);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.whyOneStream()).isEmpty();
    assertThat(outcome.indexed()).isTrue();
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(kind, copy, name);
    Path streamed = new Path(dir, name + "-streamed");
    try (IncrementalFileSystem client = MiniHdfs.client();
        FSDataOutputStream out = client.create(streamed)) {
      out.write(content);
    }
    assertThat(KeptIndex.ofAny(conf, stock, copy))
        .isEqualTo(KeptIndex.ofAny(conf, stock, streamed));
    assertThat(blockLengths(copy)).isEqualTo(blockLengths(streamed));
    assertNoParts();
  }

  @Test
  void partsMayEndWhereNoBlockWouldEnd() throws IOException {
    conf.setBoolean(HdfsKeys.WRITE_BLOCK_CUTS.name(), false);
    ContainerKind kind = ContainerKind.COMPRESSED_BLOCKS;
    byte[] content = kind.file(ContainerKind.records(1, 15_000_000, 5000));
    Path copy = new Path(dir, "copy");
    assertThat(put(write("f", content), copy).error()).isEmpty();
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(kind, copy, "f");
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void anUploadThatIsBrokenOffGoesOnWhereItWas(ContainerKind kind) throws IOException {
    byte[] content = kind.file(ContainerKind.records(2, 15_000_000, 5000));
    Path copy = new Path(dir, "copy-" + kind);
    java.nio.file.Path file = write("f" + kind, content);
    assertThat(put(file, copy, failingAfter(content.length / 2)).error()).isPresent();
    Uploader.Outcome resumed = put(file, copy);
    assertThat(resumed.error()).isEmpty();
    assertThat(resumed.resumedBytes()).isBetween(4L << 20, content.length - 1L);
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(kind, copy, "f" + kind);
    assertNoParts();
  }

  @ParameterizedTest
  @EnumSource(ContainerKind.class)
  void whatTheNewVersionHasInCommonWithTheOldIsToldThoughItsMarkerIsAnother(ContainerKind kind)
      throws IOException {
    List<byte[]> records = ContainerKind.records(3, 6_000_000, 3000);
    Path copy = new Path(dir, "copy-" + kind);
    assertThat(put(write("f", kind.file(records)), copy).kept()).isEmpty();
    Uploader.Outcome again = put(write("f", kind.file(records)), copy);
    assertThat(again.kept().orElseThrow().chunks()).isEqualTo(again.chunks()).isGreaterThan(20);
  }

  @Test
  void aFileThatChangesWhileItIsReadIsNotCopied() throws IOException {
    byte[] content = ContainerKind.AVRO.file(ContainerKind.records(5, 20_000_000, 3000));
    java.nio.file.Path file = write("f", content);
    LongConsumer spoil =
        count -> {
          try {
            Files.write(file, new byte[content.length]);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    Path copy = new Path(dir, "copy");
    assertThat(put(file, copy, spoil).error().orElseThrow())
        .hasMessageContaining("changed while it was read");
    assertThat(stock.exists(copy)).isFalse();
    assertNoParts();
  }

  @Test
  void whatOnlyBeginsLikeAContainerIsCopiedWithoutAnIndex() throws IOException {
    for (ContainerKind kind : ContainerKind.values()) {
      byte[] whole = kind.file(ContainerKind.records(4, 6_000_000, 3000));
      byte[] text = Content.text(4, 6_000_000);
      for (byte[] content :
          List.of(
              Arrays.copyOf(whole, 4),
              Arrays.copyOf(whole, 40),
              Arrays.copyOf(whole, whole.length - 1),
              Content.concat(Arrays.copyOf(whole, 4), text))) {
        Path copy = new Path(dir, "copy");
        Uploader.Outcome outcome = put(write("f", content), copy);
        assertThat(outcome.error()).isEmpty();
        assertThat(outcome.indexed()).isFalse();
        assertThat(read(copy)).isEqualTo(content);
        assertThat(KeptIndex.ofAny(conf, stock, copy)).isEmpty();
      }
    }
  }

  private void assertIndexed(ContainerKind kind, Path copy, String name) throws IOException {
    FramedFormat format = kind.format();
    WriteSettings settings = WriteSettings.of(conf);
    KeptIndex kept = KeptIndex.ofAny(conf, stock, copy).orElseThrow();
    assertThat(kept.fingerprint()).isEqualTo(format.fingerprint(settings.chunker()));
    assertThat(format.chunks(ByteSource.of(local.resolve(name)), settings.chunker(), null, 1))
        .contains(kept.chunks());
  }
}
