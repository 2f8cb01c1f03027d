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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SequenceFiles of every kind of compression against the stock readers of both APIs. */
class SequenceFileReadingTest {
  private static final List<Class<?>> SEQUENCE_FILE =
      List.of(
          org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat.class,
          org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat.class,
          org.apache.hadoop.mapreduce.lib.input.SequenceFileAsBinaryInputFormat.class,
          org.apache.hadoop.mapred.SequenceFileInputFormat.class,
          org.apache.hadoop.mapred.SequenceFileAsTextInputFormat.class,
          org.apache.hadoop.mapred.SequenceFileAsBinaryInputFormat.class);

  private static final RecordFormat FORMAT = new SequenceFileFormat();

  private final Configuration conf = new Configuration();
  private Path directory;

  @BeforeEach
  @BeforeProperty
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("sequence-file-reading");
  }

  @AfterEach
  @AfterProperty
  void removeDirectory() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** Random records; equal numbers give equal records. */
  private static byte[] record(int number) {
    Random random = new Random(number);
    byte[] record = new byte[random.nextInt(5) == 0 ? 0 : random.nextInt(90)];
    random.nextBytes(record);
    // Bytes that look like the escape before a marker.
    Arrays.fill(record, 0, random.nextInt(record.length + 1), (byte) -1);
    return record;
  }

  private static List<Integer> numbers(Random random, int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(random.nextInt());
    }
    return numbers;
  }

  private static List<Integer> edited(Random random, List<Integer> numbers) {
    List<Integer> edited = new ArrayList<>(numbers);
    int at = random.nextInt(numbers.size() + 1);
    switch (random.nextInt(3)) {
      case 0 -> edited.addAll(at, numbers(random, 3));
      case 1 -> edited.subList(at, Math.min(edited.size(), at + 3)).clear();
      default -> edited.add(numbers.isEmpty() ? 0 : edited.remove(random.nextInt(edited.size())));
    }
    return edited;
  }

  private Path write(
      String name,
      CompressionType compression,
      Class<? extends CompressionCodec> codec,
      int syncBytes,
      List<Integer> numbers)
      throws IOException {
    Path file = directory.resolve(name);
    Files.deleteIfExists(file);
    Configuration writing = new Configuration(conf);
    writing.setInt("io.seqfile.compress.blocksize", 4 * syncBytes);
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            writing,
            SequenceFile.Writer.file(new org.apache.hadoop.fs.Path(file.toUri())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(BytesWritable.class),
            SequenceFile.Writer.syncInterval(syncBytes),
            SequenceFile.Writer.compression(
                compression, ReflectionUtils.newInstance(codec, writing)))) {
      for (int number : numbers) {
        writer.append(new Text("key " + (number & 0xFF)), new BytesWritable(record(number)));
      }
    }
    return file;
  }

  @Property(tries = 100)
  void chunksAreReadExactly(
      @ForAll CompressionType compression,
      @ForAll boolean gzip,
      @ForAll @IntRange(min = 30, max = 600) int syncBytes,
      @ForAll @IntRange(min = 1, max = 400) int records,
      @ForAll @IntRange(min = 66, max = 2000) int average,
      @ForAll @IntRange(min = 1, max = 900) int splitBytes,
      @ForAll long seed)
      throws Exception {
    Random random = new Random(seed);
    Class<? extends CompressionCodec> codec = gzip ? GzipCodec.class : DefaultCodec.class;
    List<Integer> before = numbers(random, records);
    Path old = write("old", compression, codec, syncBytes, before);
    Path edited = write("edited", compression, codec, syncBytes, edited(random, before));
    if (FORMAT.chunks(ByteSource.of(edited), CutFile.sizes(average), null, 1).isEmpty()) {
      // Every record was deleted.
      return;
    }
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(average));
    CutFile second = CutFile.of(edited, FORMAT, CutFile.sizes(average));
    Class<?> inputFormat = SEQUENCE_FILE.get(random.nextInt(SEQUENCE_FILE.size()));
    StockReader stock = new StockReader(inputFormat, conf);
    first.requireExact(stock).requireStockExact(stock, splitBytes);
    second.requireExact(stock).requireSameUnderSameName(first, stock);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void aFileWrittenAgainIsKnownThoughItsMarkerIsAnother(CompressionType compression)
      throws Exception {
    List<Integer> numbers = numbers(new Random(5), 5000);
    StockReader stock = new StockReader(SEQUENCE_FILE.get(0), conf);
    Path old = write("old", compression, DefaultCodec.class, 400, numbers);
    Path again = write("again", compression, DefaultCodec.class, 400, numbers);
    assertThat(Files.mismatch(old, again)).isNotEqualTo(-1);
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(8000));
    CutFile second = CutFile.of(again, FORMAT, CutFile.sizes(8000));
    assertThat(first.chunks()).hasSizeGreaterThan(10).isEqualTo(second.chunks());
    assertThat(second.requireSameUnderSameName(first, stock)).isZero();
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void anInsertedRecordChangesFewChunks(CompressionType compression) throws Exception {
    List<Integer> numbers = numbers(new Random(5), 20_000);
    StockReader stock = new StockReader(SEQUENCE_FILE.get(0), conf);
    Path old = write("old", compression, DefaultCodec.class, 400, numbers);
    numbers.add(9000, 4711);
    Path edited = write("edited", compression, DefaultCodec.class, 400, numbers);
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(16_000));
    CutFile second = CutFile.of(edited, FORMAT, CutFile.sizes(16_000)).requireExact(stock);
    assertThat(second.chunks()).hasSizeGreaterThan(20);
    second.requireSameOfThreads(CutFile.sizes(16_000));
    assertThat(second.requireSameUnderSameName(first, stock)).isBetween(1, 3);
  }

  /** Headers that differ name every chunk differently, however alike the records' bytes are. */
  @Test
  void anotherCodecOrClassIsAnotherHeader() throws Exception {
    List<Integer> numbers = numbers(new Random(5), 100);
    ChunkerConfig sizes = CutFile.sizes(500);
    Path deflate = write("d", CompressionType.RECORD, DefaultCodec.class, 400, numbers);
    Path gzip = write("g", CompressionType.RECORD, GzipCodec.class, 400, numbers);
    Path none = write("n", CompressionType.NONE, DefaultCodec.class, 400, numbers);
    byte[] other =
        new String(Files.readAllBytes(none), java.nio.charset.StandardCharsets.ISO_8859_1)
            .replaceFirst("BytesWritable", "TytesWritable")
            .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    Path renamed = Files.write(directory.resolve("r"), other);
    List<Chunk> headers = new ArrayList<>();
    for (Path file : List.of(deflate, gzip, none, renamed)) {
      headers.add(CutFile.of(file, FORMAT, sizes).chunks().get(0));
    }
    assertThat(headers).doesNotHaveDuplicates();
    assertThat(CutFile.of(renamed, FORMAT, sizes).chunks().get(1))
        .isEqualTo(CutFile.of(none, FORMAT, sizes).chunks().get(1));
  }

  /** Two different records may not become one by masking, even if they hold what looks masked. */
  @Test
  void bytesThatLookLikeAMarkerAreDigestedAsTheyAre() throws Exception {
    Path file =
        write("f", CompressionType.NONE, DefaultCodec.class, 300, numbers(new Random(1), 90));
    byte[] bytes = Files.readAllBytes(file);
    List<Chunk> before = CutFile.of(file, FORMAT, CutFile.sizes(300)).chunks();
    byte[] marker =
        Arrays.copyOfRange(
            bytes, (int) before.get(0).end() - Frames.MARKER_BYTES, (int) before.get(0).end());
    // Within the first record that is long enough, behind its key.
    int at = indexOfZeros(bytes, (int) before.get(0).end());
    Path masked = Files.write(directory.resolve("masked"), put(bytes, at, new byte[16]));
    Path real = Files.write(directory.resolve("real"), put(bytes, at, marker));
    List<Chunk> withZeros = CutFile.of(masked, FORMAT, CutFile.sizes(300)).chunks();
    List<Chunk> withMarker = CutFile.of(real, FORMAT, CutFile.sizes(300)).chunks();
    assertThat(withZeros).isNotEqualTo(withMarker);
    assertThat(
            CutFile.of(real, FORMAT, CutFile.sizes(300))
                .requireExact(new StockReader(SEQUENCE_FILE.get(0), conf))
                .chunks())
        .isEqualTo(withMarker);
  }

  private static int indexOfZeros(byte[] bytes, int from) {
    int at = from;
    while (true) {
      int length = java.nio.ByteBuffer.wrap(bytes).getInt(at);
      int key = java.nio.ByteBuffer.wrap(bytes).getInt(at + 4);
      if (length == -1) {
        at += 20;
      } else if (length - key > 40) {
        return at + 8 + key + 10;
      } else {
        at += 8 + length;
      }
    }
  }

  private static byte[] put(byte[] bytes, int at, byte[] put) {
    byte[] changed = bytes.clone();
    System.arraycopy(put, 0, changed, at, put.length);
    return changed;
  }

  /** Whatever byte is damaged: left whole, or read chunk by chunk as it is read in one go. */
  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void damagedFilesAreLeftWholeOrReadAlike(CompressionType compression) throws Exception {
    Path file = write("f", compression, DefaultCodec.class, 100, numbers(new Random(2), 25));
    byte[] bytes = Files.readAllBytes(file);
    StockReader stock = new StockReader(SEQUENCE_FILE.get(2), conf);
    int whole = 0;
    for (int at = 0; at < bytes.length; at += 3) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) (1 << at % 8);
      Files.write(file, damaged);
      if (FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1).isEmpty()) {
        whole++;
      } else {
        requireAlike(CutFile.of(file, FORMAT, CutFile.sizes(100)), stock);
      }
    }
    assertThat(whole).isPositive();
    for (int length = 0; length < bytes.length; length += 3) {
      Files.write(file, Arrays.copyOf(bytes, length));
      if (FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1).isPresent()) {
        requireAlike(CutFile.of(file, FORMAT, CutFile.sizes(100)), stock);
      }
    }
  }

  private static void requireAlike(CutFile cut, StockReader stock) throws Exception {
    try {
      stock.all(new org.apache.hadoop.fs.Path(cut.file().toUri()), cut.length());
    } catch (IOException | RuntimeException e) {
      // The stock job fails, and so does one that reads chunks.
      return;
    }
    cut.requireExact(stock);
  }

  @Test
  void otherFilesAreLeftWhole() throws Exception {
    Path file =
        write("f", CompressionType.NONE, DefaultCodec.class, 300, numbers(new Random(1), 90));
    byte[] bytes = Files.readAllBytes(file);
    for (byte version : new byte[] {0, 3, 4, 5, 7}) {
      Files.write(file, put(bytes, 3, new byte[] {version}));
      assertThat(FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1)).isEmpty();
    }
    Files.writeString(file, "no SequenceFile at all, but text\n".repeat(100));
    assertThat(FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1)).isEmpty();
    Path empty = write("e", CompressionType.BLOCK, DefaultCodec.class, 300, List.of());
    assertThat(FORMAT.chunks(ByteSource.of(empty), CutFile.sizes(100), null, 1)).isEmpty();
  }
}
