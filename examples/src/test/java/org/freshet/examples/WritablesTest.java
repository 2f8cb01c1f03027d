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
package org.freshet.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;
import org.junit.jupiter.api.Test;

class WritablesTest {

  private static <T extends Writable> T reread(T written, T fresh) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    written.write(out);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    fresh.readFields(in);
    assertThat(in.available()).as("bytes left over").isZero();
    return fresh;
  }

  @Test
  void valuesComeBackAsWritten() throws Exception {
    assertThat(reread(new KeyNumberPair("k", -3), new KeyNumberPair("old", 9)))
        .isEqualTo(new KeyNumberPair("k", -3));
    assertThat(reread(new SumCount(7, 2), new SumCount(1, 1))).isEqualTo(new SumCount(7, 2));
    assertThat(reread(new ScoredItem("ä", 5), new ScoredItem())).isEqualTo(new ScoredItem("ä", 5));
  }

  @Test
  void aReadSetForgetsWhatItHeld() throws Exception {
    UserSet one = new UserSet();
    one.setSingle("ann");
    UserSet two = new UserSet();
    two.setSingle("bob");
    UserSet union = DistinctUsers.union(List.of(one, two, one));
    assertThat(union.size()).isEqualTo(2);

    UserSet reused = new UserSet();
    reused.setSingle("zoe");
    assertThat(reread(union, reused)).hasToString("[ann, bob]");
  }

  @Test
  void aVectorSumComesBackWithItsCount() throws Exception {
    VectorSum one = new VectorSum();
    one.setSingle(new double[] {2, 4});
    VectorSum two = KMeansIteration.total(List.of(one, one));
    assertThat(reread(two, new VectorSum()).mean()).containsExactly(2, 4);
  }

  @Test
  void pairsSortByKeyThenNumberAndGroupByKey() {
    Random random = new Random(22);
    List<KeyNumberPair> pairs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      pairs.add(new KeyNumberPair("key" + random.nextInt(5), random.nextLong()));
    }
    List<KeyNumberPair> sorted = pairs.stream().sorted().toList();
    assertThat(sorted)
        .isSortedAccordingTo(
            Comparator.comparing(KeyNumberPair::key).thenComparingLong(KeyNumberPair::number));

    SecondarySort.KeyGrouping grouping = new SecondarySort.KeyGrouping();
    SecondarySort.KeyPartitioner partitioner = new SecondarySort.KeyPartitioner();
    LongWritable unused = new LongWritable();
    for (int i = 1; i < sorted.size(); i++) {
      KeyNumberPair left = sorted.get(i - 1);
      KeyNumberPair right = sorted.get(i);
      boolean sameKey = left.key().equals(right.key());
      assertThat(grouping.compare(left, right) == 0).isEqualTo(sameKey);
      if (sameKey) {
        assertThat(partitioner.getPartition(left, unused, 7))
            .isEqualTo(partitioner.getPartition(right, unused, 7));
      }
    }
  }
}
