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
package org.freshet.it.differential;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.freshet.it.harness.AvroFile;

/**
 * The content of one input file, as a list of units: lines with their terminators for text, records
 * for the binary kinds. Immutable; the unit arrays are never changed in place, and equality is that
 * of the very same arrays, as it costs nothing and every edit makes new ones.
 *
 * @param container how the units are stored
 * @param units the units in order
 */
record InputFile(Container container, List<byte[]> units) {

  /** How units become a file. */
  enum Container {
    PLAIN,
    GZIP,
    SEQUENCE,
    SEQUENCE_RECORD,
    SEQUENCE_BLOCK,
    AVRO,
    AVRO_DEFLATE
  }

  /** So small that files of kilobytes have several, in bytes before compression. */
  private static final int BLOCK_BYTES = 1 << 10;

  private static final int SYNC_BYTES = 512;

  /** Of the records of Avro files. */
  static final Schema SCHEMA =
      SchemaBuilder.record("Unit").fields().requiredBytes("data").endRecord();

  InputFile {
    units = List.copyOf(units);
  }

  InputFile withUnits(List<byte[]> newUnits) {
    return new InputFile(container, newUnits);
  }

  long bytes() {
    return units.stream().mapToLong(u -> u.length).sum();
  }

  /** What the file's name must end with for Hadoop to read it. */
  String extension() {
    return switch (container) {
      case GZIP -> ".gz";
      // The old API passes over files of other names.
      case AVRO, AVRO_DEFLATE -> ".avro";
      case PLAIN, SEQUENCE, SEQUENCE_RECORD, SEQUENCE_BLOCK -> "";
    };
  }

  /** Writes the file, replacing what is there. */
  void write(Path file, Configuration conf) throws IOException {
    switch (container) {
      case PLAIN -> Files.write(file, concatenated());
      case GZIP -> {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
          out.write(concatenated());
        }
      }
      case SEQUENCE -> writeSequence(file, conf, CompressionType.NONE);
      case SEQUENCE_RECORD -> writeSequence(file, conf, CompressionType.RECORD);
      case SEQUENCE_BLOCK -> writeSequence(file, conf, CompressionType.BLOCK);
      case AVRO -> writeAvro(file, "null");
      case AVRO_DEFLATE -> writeAvro(file, "deflate");
    }
  }

  private byte[] concatenated() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    units.forEach(all::writeBytes);
    return all.toByteArray();
  }

  private void writeSequence(Path file, Configuration conf, CompressionType compression)
      throws IOException {
    Files.deleteIfExists(file);
    Configuration small = new Configuration(conf);
    small.setInt("io.seqfile.compress.blocksize", BLOCK_BYTES);
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            small,
            SequenceFile.Writer.file(new org.apache.hadoop.fs.Path(file.toUri())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(BytesWritable.class),
            SequenceFile.Writer.syncInterval(SYNC_BYTES),
            SequenceFile.Writer.compression(compression, new DefaultCodec()))) {
      for (byte[] unit : units) {
        writer.append(new Text(Integer.toHexString(unit.length)), new BytesWritable(unit));
      }
    }
    // The checksummed file system left a sum beside it, and an edit would contradict it.
    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
  }

  private void writeAvro(Path file, String codec) throws IOException {
    AvroFile.write(
        file,
        SCHEMA,
        codec,
        SYNC_BYTES,
        units,
        (datum, unit) -> datum.put("data", ByteBuffer.wrap(unit)));
  }
}
