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
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;
import org.junit.jupiter.api.Test;

/** Local files come to HDFS whole, with their chunks, or not at all. */
class UploaderTest extends UploadTestCase {
  @Test
  void filesOfAnySizeArriveWithTheirChunksAndTheBlocksOfOneStream() throws IOException {
    for (int size : new int[] {0, 1, 100, 1_000_000, 5_000_000, 20_000_000, LARGE}) {
      byte[] content = Content.text(size, size);
      Path copy = new Path(dir, "copy-" + size);
      Uploader.Outcome outcome = put(write("f-" + size, content), copy);
      assertThat(outcome.error()).isEmpty();
      assertThat(outcome.bytes()).isEqualTo(size);
      assertThat(outcome.resumedBytes()).isZero();
      assertThat(read(copy)).isEqualTo(content);
      if (size == 0) {
        continue;
      }
      assertIndexed(copy, content);
      Path streamed = new Path(dir, "streamed-" + size);
      try (IncrementalFileSystem client = MiniHdfs.client();
          FSDataOutputStream out = client.create(streamed)) {
        out.write(content);
      }
      assertThat(blockLengths(copy)).isEqualTo(blockLengths(streamed));
    }
    assertNoParts();
  }

  @Test
  void severalFilesAndDirectoriesAreCopiedAtOnce() throws IOException {
    List<Uploader.Item> items = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Path copy = new Path(dir, "d" + i % 3 + "/f" + i);
      items.add(new Uploader.Item(write("f" + i, Content.text(i, 10_000 * i)), copy, copy));
    }
    java.nio.file.Path none = local.resolve("none");
    items.add(new Uploader.Item(none, new Path(dir, "none"), new Path(dir, "none")));
    List<Uploader.Outcome> outcomes = new ArrayList<>();
    try (Uploader uploader = new Uploader(conf, 3, count -> {}, LATER)) {
      uploader.put(items, outcomes::add);
    }
    assertThat(outcomes).hasSize(21);
    assertThat(outcomes.stream().filter(outcome -> outcome.error().isPresent()))
        .hasSize(1)
        .allMatch(outcome -> outcome.item().source().equals(none));
    for (int i = 0; i < 20; i++) {
      assertThat(read(items.get(i).target())).isEqualTo(Content.text(i, 10_000 * i));
    }
    assertThat(stock.exists(new Path(dir, "none"))).isFalse();
  }

  @Test
  void whatTheNewVersionHasInCommonWithTheOldIsTold() throws IOException {
    byte[] content = Content.text(1, 10_000_000);
    Path copy = new Path(dir, "copy");
    assertThat(put(write("f", content), copy).kept()).isEmpty();
    content[5_000_000] ^= 1;
    Uploader.Outcome again = put(write("f", content), copy);
    assertThat(again.kept()).isPresent();
    assertThat(again.kept().get().chunks()).isBetween(again.chunks() - 2, again.chunks() - 1);
    assertThat(again.kept().get().bytes()).isBetween(9_000_000L, 9_999_999L);
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(copy, content);
  }

  @Test
  void anUploadThatIsBrokenOffGoesOnWhereItWas() throws IOException {
    for (int size : new int[] {30_000_000, LARGE}) {
      byte[] before = Content.text(2, 1000);
      byte[] content = Content.text(3, size);
      Path copy = new Path(dir, "copy-" + size);
      put(write("before", before), copy);
      java.nio.file.Path file = write("f-" + size, content);

      Uploader.Outcome broken = put(file, copy, failingAfter(size / 2));
      assertThat(broken.error()).isPresent();
      assertThat(read(copy)).isEqualTo(before);
      assertThat(names(dir)).anyMatch(name -> name.startsWith("_put-"));

      Uploader.Outcome resumed = put(file, copy);
      assertThat(resumed.error()).isEmpty();
      assertThat(resumed.resumedBytes()).isBetween(4L << 20, size - 1L);
      assertThat(read(copy)).isEqualTo(content);
      assertIndexed(copy, content);
      assertNoParts();
    }
  }

  @Test
  void anUploadThatOnlyLackedItsNameGetsIt() throws IOException {
    byte[] content = Content.text(4, 20_000_000);
    Path copy = new Path(dir, "copy");
    java.nio.file.Path file = write("f", content);
    // All but the last part arrive; then the last is put there, and the parts are joined.
    assertThat(put(file, copy, failingAfter(content.length - 1)).error()).isPresent();
    Path parts = directoryOfParts();
    FileStatus[] arrived = stock.listStatus(parts);
    Arrays.sort(arrived);
    long length = Arrays.stream(arrived).mapToLong(FileStatus::getLen).sum();
    Path last = new Path(parts, "part-99999");
    try (FSDataOutputStream out = stock.create(last)) {
      out.write(content, (int) length, (int) (content.length - length));
    }
    List<Path> others = new ArrayList<>();
    Arrays.stream(arrived).skip(1).map(FileStatus::getPath).forEach(others::add);
    others.add(last);
    stock.concat(arrived[0].getPath(), others.toArray(new Path[0]));

    Uploader.Outcome resumed = put(file, copy);
    assertThat(resumed.error()).isEmpty();
    assertThat(resumed.resumedBytes()).isEqualTo(content.length);
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(copy, content);
  }

  @Test
  void anotherVersionOfTheFileTakesNothingFromABrokenUpload() throws IOException {
    byte[] content = Content.text(5, 20_000_000);
    Path copy = new Path(dir, "copy");
    java.nio.file.Path file = write("f", content);
    assertThat(put(file, copy, failingAfter(15_000_000)).error()).isPresent();
    content[10] ^= 1;
    Uploader.Outcome other = put(write("f", content), copy);
    assertThat(other.resumedBytes()).isZero();
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(copy, content);
  }

  @Test
  void aFileThatChangesWhileItIsReadIsNotCopied() throws IOException {
    byte[] before = Content.text(6, 1000);
    Path copy = new Path(dir, "copy");
    put(write("before", before), copy);
    java.nio.file.Path file = write("f", Content.text(7, 20_000_000));
    LongConsumer change =
        count -> {
          try {
            Files.write(file, new byte[] {1}, StandardOpenOption.WRITE);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    Uploader.Outcome outcome = put(file, copy, change);
    assertThat(outcome.error().orElseThrow()).hasMessageContaining("changed while it was read");
    assertThat(read(copy)).isEqualTo(before);
    assertNoParts();
  }

  @Test
  void aFileThatBecomesShorterWhileItIsReadIsNotCopiedAndLeavesNothing() throws IOException {
    Path copy = new Path(dir, "copy");
    java.nio.file.Path file = write("f", Content.text(8, 20_000_000));
    AtomicLong sent = new AtomicLong();
    LongConsumer cut =
        count -> {
          if (sent.addAndGet(count) > 10_000_000) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
              channel.truncate(10_000_000);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };
    Uploader.Outcome outcome = put(file, copy, cut);
    assertThat(outcome.error().orElseThrow()).hasMessageContaining("changed while it was read");
    assertThat(stock.exists(copy)).isFalse();
    assertNoParts();
  }

  @Test
  void filesThatMayNotHaveBlockCutsOrIndexesAreCopiedAllTheSame() throws IOException {
    byte[] content = Content.text(8, 20_000_000);
    java.nio.file.Path file = write("f", content);
    conf.setBoolean(HdfsKeys.WRITE_BLOCK_CUTS.name(), false);
    Path copy = new Path(dir, "copy");
    assertThat(put(file, copy).error()).isEmpty();
    assertThat(read(copy)).isEqualTo(content);
    assertIndexed(copy, content);
    Path localCopy = new Path(local.resolve("sub/copy").toUri());
    Uploader.Outcome outcome = put(file, localCopy);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.indexed()).isFalse();
    assertThat(Files.readAllBytes(local.resolve("sub/copy"))).isEqualTo(content);
  }
}
