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
package org.freshet.mapreduce.map;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BatchTest {
  private static final Path FILE = new Path("hdfs://host/in put/\u65e5.txt");
  private static final Path OTHER = new Path("hdfs://host/other.txt");

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  static List<Writable> splits() {
    return List.of(
        new org.apache.hadoop.mapreduce.lib.input.FileSplit(FILE, 5, 1L << 40, null),
        new org.apache.hadoop.mapred.FileSplit(FILE, 5, 1L << 40, (String[]) null),
        new org.apache.hadoop.mapreduce.lib.input.CombineFileSplit(
            new Path[] {FILE, OTHER}, new long[] {5, 0}, new long[] {6, 7}, new String[0]),
        new org.apache.hadoop.mapred.lib.CombineFileSplit(
            new JobConf(),
            new Path[] {FILE, OTHER},
            new long[] {5, 0},
            new long[] {6, 7},
            new String[0]));
  }

  private static Batch batch(List<Writable> splits) {
    Batch batch = new Batch();
    batch.files().add(new Batch.Source(FILE.toString(), "version 1"));
    batch.files().add(new Batch.Source(OTHER.toString(), ""));
    for (int i = 0; i < splits.size(); i++) {
      batch
          .chunks()
          .add(new Batch.Chunk(digest("leaf " + i), 10 + i, splits.get(i), new int[] {i % 2}));
    }
    return batch;
  }

  private static DataInputBuffer bytes(Writable split) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    split.write(out);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    return in;
  }

  private static BatchSplit copy(BatchSplit split) throws IOException {
    BatchSplit copy = new BatchSplit();
    DataInputBuffer in = bytes(split);
    copy.readFields(in);
    assertThat(in.available()).isZero();
    return copy;
  }

  @ParameterizedTest
  @MethodSource("splits")
  void aChunksSplitArrivesAsItWasSent(Writable split) throws IOException {
    Batch arrived = copy(new BatchSplit(batch(List.of(split)), FILE, null)).batch();

    Object there = arrived.chunks().get(0).split();
    assertThat(SplitKinds.supported(there)).isTrue();
    assertThat(SplitKinds.ranges(there)).isEqualTo(SplitKinds.ranges(split));
    // A user's cast to the class of the original split must work.
    assertThat(there).isInstanceOf(split.getClass());
  }

  @Test
  void aBatchArrivesAsItWasSent() throws IOException {
    Batch batch = batch(splits());
    batch.nodes().add(new int[] {0, 1, 2});
    batch.nodeIds().add(digest("n"));
    batch.nodes().add(new int[] {3, 4});
    batch.nodeIds().add(digest("m"));
    batch.shared().addAll(List.of(1, 4));

    BatchSplit split = copy(new BatchSplit(batch, FILE, new String[] {"host"}));

    Batch arrived = split.batch();
    assertThat(split.getPath()).isEqualTo(FILE);
    assertThat(split.getLength()).isEqualTo(10 + 11 + 12 + 13).isEqualTo(arrived.length());
    assertThat(arrived.files()).isEqualTo(batch.files());
    assertThat(arrived.chunks())
        .extracting(Batch.Chunk::leaf)
        .isEqualTo(batch.chunks().stream().map(Batch.Chunk::leaf).toList());
    assertThat(arrived.chunks())
        .extracting(Batch.Chunk::length)
        .containsExactly(10L, 11L, 12L, 13L);
    assertThat(arrived.chunks().get(1).files()).containsExactly(1);
    assertThat(arrived.nodeIds()).containsExactly(digest("n"), digest("m"));
    assertThat(arrived.nodes().get(0)).containsExactly(0, 1, 2);
    assertThat(arrived.nodes().get(1)).containsExactly(3, 4);
    assertThat(arrived.shared()).containsExactly(1, 4);
  }

  @Test
  void aSplitThatIsReadIntoAgainForgetsItsFormerBatch() throws IOException {
    Batch first = batch(splits());
    first.nodes().add(new int[] {0, 1});
    first.nodeIds().add(digest("n"));
    first.shared().add(0);
    BatchSplit reused = copy(new BatchSplit(first, FILE, null));

    reused.readFields(bytes(new BatchSplit(batch(splits().subList(0, 1)), OTHER, null)));

    assertThat(reused.batch().chunks()).hasSize(1);
    assertThat(reused.batch().files()).hasSize(2);
    assertThat(reused.batch().nodes()).isEmpty();
    assertThat(reused.batch().nodeIds()).isEmpty();
    assertThat(reused.batch().shared()).isEmpty();
    assertThat(reused.getPath()).isEqualTo(OTHER);
  }

  @Test
  void theOldApisSplitCarriesTheSameBatch() throws IOException {
    OldBatchSplit copy = new OldBatchSplit();
    copy.readFields(bytes(new OldBatchSplit(batch(splits()), FILE, new String[] {"host"})));

    assertThat(copy.batch().chunks()).hasSize(4);
    assertThat(copy.getPath()).isEqualTo(FILE);
    assertThat(copy.getLength()).isEqualTo(46);
    assertThat(copy).hasToString("batch of 4 chunks, 46 bytes");
  }

  @Test
  void hostsAreWhereTheSplitPrefersToRun() throws IOException {
    assertThat(new BatchSplit(batch(splits()), FILE, new String[] {"a", "b"}).getLocations())
        .containsExactly("a", "b");
  }

  @Test
  void aSplitClassThatIsNotKnownIsNamed() throws IOException {
    Batch batch = batch(List.of(new FilesAndMore()));
    DataInputBuffer in = bytes(new BatchSplit(batch, FILE, null));

    assertThatThrownBy(() -> new BatchSplit().readFields(in))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(FilesAndMore.class.getName());
  }

  @Test
  void onlySplitsThatAreRangesAndNothingElseAreSupported() {
    List<Object> supported = new ArrayList<>(splits());
    supported.add(new SplitKinds.PlainFileSplit());
    assertThat(supported).allMatch(SplitKinds::supported);

    assertThat(SplitKinds.supported(new FilesAndMore())).isFalse();
    assertThat(SplitKinds.supported(new BatchSplit())).isFalse();
    assertThat(SplitKinds.supported("a split")).isFalse();
    assertThatThrownBy(() -> SplitKinds.ranges("a split"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String");
  }

  @Test
  void rangesOfACombinedSplitKeepItsOrder() {
    assertThat(SplitKinds.ranges(splits().get(2)))
        .containsExactly(new SplitKinds.Range(FILE, 5, 6), new SplitKinds.Range(OTHER, 0, 7));
  }

  /** A split that has data of its own. */
  public static final class FilesAndMore extends org.apache.hadoop.mapreduce.lib.input.FileSplit {
    public FilesAndMore() {
      super(FILE, 0, 1, null);
    }
  }
}
