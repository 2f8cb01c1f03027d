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
package org.freshet.hdfs.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Records of fixed length against the stock readers of both APIs. */
class FixedLengthReadingTest {
  private static final List<Class<?>> FIXED_LENGTH =
      List.of(
          org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat.class,
          org.apache.hadoop.mapred.FixedLengthInputFormat.class);

  private static byte[] edited(Random random, byte[] before, int recordBytes, int records) {
    int at = random.nextInt(records + 1) * recordBytes;
    byte[] inserted = new byte[random.nextInt(3) * recordBytes];
    random.nextBytes(inserted);
    byte[] after = new byte[before.length + inserted.length];
    System.arraycopy(before, 0, after, 0, at);
    System.arraycopy(inserted, 0, after, at, inserted.length);
    System.arraycopy(before, at, after, at + inserted.length, before.length - at);
    return after;
  }

  @Property(tries = 80)
  void chunksAreReadExactly(
      @ForAll @IntRange(min = 1, max = 300) int recordBytes,
      @ForAll @IntRange(max = 200) int records,
      @ForAll @IntRange(min = 66, max = 3000) int average,
      @ForAll @IntRange(min = 1, max = 20) int splitRecords,
      @ForAll long seed)
      throws Exception {
    Random random = new Random(seed);
    Configuration conf = new Configuration();
    conf.setInt(RecordFormats.RECORD_LENGTH, recordBytes);
    byte[] before = new byte[recordBytes * records];
    random.nextBytes(before);
    Path directory = Files.createTempDirectory("fixed-length");
    Path old = Files.write(directory.resolve("old"), before);
    Path edited =
        Files.write(directory.resolve("edited"), edited(random, before, recordBytes, records));
    for (Class<?> inputFormat : FIXED_LENGTH) {
      StockReader stock = new StockReader(inputFormat, conf);
      RecordFormat format = RecordFormats.of(inputFormat.getName(), conf).format().orElseThrow();
      CutFile first =
          CutFile.of(old, format, CutFile.sizes(average))
              .requireExact(stock)
              .requireStockExact(stock, (long) splitRecords * recordBytes);
      CutFile.of(edited, format, CutFile.sizes(average))
          .requireExact(stock)
          .requireSameUnderSameName(first, stock);
    }
    Files.delete(old);
    Files.delete(edited);
    Files.delete(directory);
  }

  @Test
  void lengthsThatStockRefusesLeaveFilesWhole() {
    for (String length : new String[] {"0", "-3", "many"}) {
      Configuration conf = new Configuration();
      conf.set(RecordFormats.RECORD_LENGTH, length);
      for (Class<?> inputFormat : FIXED_LENGTH) {
        assertThat(RecordFormats.of(inputFormat.getName(), conf).format()).isEmpty();
      }
    }
    assertThat(RecordFormats.of(FIXED_LENGTH.get(0).getName(), new Configuration()).format())
        .isEmpty();
  }
}
