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
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.conf.Configuration;
import org.freshet.shredder.ByteSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Avro container files against the stock readers of avro-mapred, of both APIs. */
class AvroReadingTest {
  private static final List<Class<?>> AVRO =
      List.of(
          org.apache.avro.mapreduce.AvroKeyInputFormat.class,
          org.apache.avro.mapreduce.AvroKeyValueInputFormat.class,
          org.apache.avro.mapred.AvroInputFormat.class,
          org.apache.avro.mapred.AvroAsTextInputFormat.class);

  /** What AvroKeyValueInputFormat asks for; the others take any. */
  private static final Schema SCHEMA =
      SchemaBuilder.record("KeyValuePair")
          .namespace("org.apache.avro.mapreduce")
          .fields()
          .requiredString("key")
          .requiredBytes("value")
          .endRecord();

  private static final RecordFormat FORMAT = new AvroFormat();

  private final Configuration conf = new Configuration();
  private Path directory;

  @BeforeEach
  @BeforeProperty
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("avro-reading");
    conf.set("avro.input.schema", SCHEMA.toString());
    conf.set("avro.schema.input.key", SCHEMA.toString());
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

  /** As a job that reads with this format has it. */
  private StockReader stock(Class<?> inputFormat) {
    Configuration job = new Configuration(conf);
    if (inputFormat == org.apache.avro.mapreduce.AvroKeyValueInputFormat.class) {
      job.set("avro.schema.input.key", Schema.create(Schema.Type.STRING).toString());
      job.set("avro.schema.input.value", Schema.create(Schema.Type.BYTES).toString());
    }
    return new StockReader(inputFormat, job);
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
    int at = random.nextInt(numbers.size());
    switch (random.nextInt(3)) {
      case 0 -> edited.addAll(at, numbers(random, 3));
      case 1 -> edited.remove(at);
      default -> edited.add(edited.remove(at));
    }
    return edited;
  }

  private Path write(String name, String codec, int syncBytes, String owner, List<Integer> numbers)
      throws IOException {
    Path file = directory.resolve(name + ".avro");
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(SCHEMA))) {
      writer.setCodec(CodecFactory.fromString(codec));
      writer.setSyncInterval(syncBytes);
      writer.setMeta("owner", owner);
      writer.create(SCHEMA, file.toFile());
      for (int number : numbers) {
        Random random = new Random(number);
        byte[] value = new byte[random.nextInt(80)];
        random.nextBytes(value);
        GenericRecord record = new GenericData.Record(SCHEMA);
        record.put("key", "key " + (number & 0xFF));
        record.put("value", java.nio.ByteBuffer.wrap(value));
        writer.append(record);
      }
    }
    return file;
  }

  @Provide
  Arbitrary<String> codecs() {
    return Arbitraries.of("null", "deflate", "bzip2");
  }

  @Property(tries = 100)
  void chunksAreReadExactly(
      @ForAll("codecs") String codec,
      @ForAll @IntRange(min = 32, max = 900) int syncBytes,
      @ForAll @IntRange(min = 2, max = 300) int records,
      @ForAll @IntRange(min = 66, max = 2000) int average,
      @ForAll @IntRange(min = 1, max = 900) int splitBytes,
      @ForAll long seed)
      throws Exception {
    Random random = new Random(seed);
    List<Integer> before = numbers(random, records);
    Path old = write("old", codec, syncBytes, "me", before);
    Path edited = write("edited", codec, syncBytes, "me", edited(random, before));
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(average));
    CutFile second = CutFile.of(edited, FORMAT, CutFile.sizes(average));
    StockReader stock = stock(AVRO.get(random.nextInt(AVRO.size())));
    first.requireExact(stock).requireStockExact(stock, splitBytes);
    second.requireExact(stock).requireSameUnderSameName(first, stock);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void aFileWrittenAgainIsKnownThoughItsMarkerIsAnother(String codec) throws Exception {
    List<Integer> numbers = numbers(new Random(5), 5000);
    Path old = write("old", codec, 400, "me", numbers);
    Path again = write("again", codec, 400, "me", numbers);
    assertThat(Files.mismatch(old, again)).isNotEqualTo(-1);
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(8000));
    CutFile second = CutFile.of(again, FORMAT, CutFile.sizes(8000));
    assertThat(first.chunks()).hasSizeGreaterThan(10).isEqualTo(second.chunks());
    assertThat(second.requireSameUnderSameName(first, stock(AVRO.get(0)))).isZero();
    Path others = write("others", codec, 400, "another user", numbers);
    assertThat(
            CutFile.of(others, FORMAT, CutFile.sizes(8000))
                .requireSameUnderSameName(first, stock(AVRO.get(0))))
        .isEqualTo(first.chunks().size() - 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void anInsertedRecordChangesFewChunks(String codec) throws Exception {
    List<Integer> numbers = numbers(new Random(5), 20_000);
    Path old = write("old", codec, 400, "me", numbers);
    numbers.add(9000, 4711);
    Path edited = write("edited", codec, 400, "me", numbers);
    CutFile first = CutFile.of(old, FORMAT, CutFile.sizes(16_000));
    CutFile second =
        CutFile.of(edited, FORMAT, CutFile.sizes(16_000)).requireExact(stock(AVRO.get(0)));
    assertThat(second.chunks()).hasSizeGreaterThan(20);
    second.requireSameOfThreads(CutFile.sizes(16_000));
    assertThat(second.requireSameUnderSameName(first, stock(AVRO.get(0)))).isBetween(1, 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void damagedFilesAreLeftWholeOrReadAlike(String codec) throws Exception {
    Path file = write("f", codec, 100, "me", numbers(new Random(2), 25));
    byte[] bytes = Files.readAllBytes(file);
    StockReader stock = stock(AVRO.get(3));
    int whole = 0;
    for (int at = 0; at < 2 * bytes.length; at += 3) {
      byte[] damaged = bytes.clone();
      if (at < bytes.length) {
        damaged[at] ^= (byte) (1 << at % 8);
      } else {
        damaged = Arrays.copyOf(bytes, at - bytes.length);
      }
      Files.write(file, damaged);
      if (FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1).isEmpty()) {
        whole++;
      } else {
        requireAlike(CutFile.of(file, FORMAT, CutFile.sizes(100)), stock);
      }
    }
    assertThat(whole).isPositive();
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
    Path file = Files.writeString(directory.resolve("text"), "no Avro, but text\n".repeat(100));
    assertThat(FORMAT.chunks(ByteSource.of(file), CutFile.sizes(100), null, 1)).isEmpty();
    Path empty = write("empty", "null", 100, "me", List.of());
    assertThat(FORMAT.chunks(ByteSource.of(empty), CutFile.sizes(100), null, 1)).isEmpty();
  }
}
