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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.format.RecordFormats;

/** Container files as the writers of Hadoop and Avro make them, and their records. */
enum ContainerKind {
  SEQUENCE_FILE(CompressionType.NONE),
  COMPRESSED_RECORDS(CompressionType.RECORD),
  COMPRESSED_BLOCKS(CompressionType.BLOCK),
  AVRO(null),
  COMPRESSED_AVRO(null);

  /** Bytes between sync markers, about. */
  static final int SYNC_BYTES = 2000;

  private static final Schema SCHEMA = Schema.create(Schema.Type.BYTES);

  private final CompressionType compression;

  ContainerKind(CompressionType compression) {
    this.compression = compression;
  }

  boolean isAvro() {
    return compression == null;
  }

  FramedFormat format() {
    return RecordFormats.recognizable().stream()
        .filter(format -> format.name().equals(isAvro() ? "avro" : "sequence-file"))
        .findFirst()
        .orElseThrow();
  }

  /** Records of random lengths with {@code bytes} bytes together, which do not compress. */
  static List<byte[]> records(long seed, int bytes, int longest) {
    Random random = new Random(seed);
    List<byte[]> records = new ArrayList<>();
    int left = bytes;
    while (left > 0) {
      byte[] record = new byte[Math.min(left, 1 + random.nextInt(longest))];
      random.nextBytes(record);
      records.add(record);
      left -= record.length;
    }
    return records;
  }

  /** A file with a random marker of its own. */
  byte[] file(List<byte[]> records) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (FSDataOutputStream out = new FSDataOutputStream(bytes, null)) {
        write(out, records);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes and flushes a file; {@code out} stays open. */
  void write(FSDataOutputStream out, List<byte[]> records) throws IOException {
    if (isAvro()) {
      DataFileWriter<ByteBuffer> writer = avroWriter().create(SCHEMA, open(out));
      append(writer, records);
    } else {
      append(SequenceFile.Writer.stream(out), records);
    }
  }

  /** A new writer, whose file is still to be made or opened. */
  DataFileWriter<ByteBuffer> avroWriter() {
    DataFileWriter<ByteBuffer> writer =
        new DataFileWriter<>(new GenericDatumWriter<ByteBuffer>(SCHEMA));
    if (this == COMPRESSED_AVRO) {
      writer.setCodec(CodecFactory.deflateCodec(1));
    }
    return writer.setSyncInterval(SYNC_BYTES);
  }

  static void append(DataFileWriter<ByteBuffer> writer, List<byte[]> records) throws IOException {
    try (writer) {
      for (byte[] record : records) {
        writer.append(ByteBuffer.wrap(record));
      }
    }
  }

  /** Writes to where {@code target} says. */
  void append(SequenceFile.Writer.Option target, List<byte[]> records) throws IOException {
    append(new Configuration(), records, target);
  }

  /** Writes as {@code options} say. */
  void append(Configuration conf, List<byte[]> records, SequenceFile.Writer.Option... options)
      throws IOException {
    Configuration writing = new Configuration(conf);
    writing.setInt("io.seqfile.compress.blocksize", SYNC_BYTES);
    List<SequenceFile.Writer.Option> all = new ArrayList<>(List.of(options));
    all.add(SequenceFile.Writer.keyClass(LongWritable.class));
    all.add(SequenceFile.Writer.valueClass(BytesWritable.class));
    all.add(SequenceFile.Writer.syncInterval(SYNC_BYTES));
    DefaultCodec codec = new DefaultCodec();
    codec.setConf(writing);
    all.add(SequenceFile.Writer.compression(compression, codec));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(writing, all.toArray(new SequenceFile.Writer.Option[0]))) {
      for (byte[] record : records) {
        writer.append(new LongWritable(record.length), new BytesWritable(record));
      }
    }
  }

  /** What Avro's writer closes, without closing {@code out}. */
  private static OutputStream open(OutputStream out) {
    return new java.io.FilterOutputStream(out) {
      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        out.write(bytes, from, length);
      }

      @Override
      public void close() throws IOException {
        flush();
      }
    };
  }
}
