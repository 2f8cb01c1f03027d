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
package org.freshet.cli.bench.stability;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;

/** Kinds of files that records are written to, by the writers that users have. */
enum RecordFile {
  TEXT("text", "org.apache.hadoop.mapreduce.lib.input.TextInputFormat") {
    @Override
    Writer open(Path file, Configuration conf) throws IOException {
      return new TextWriter(file);
    }
  },
  SEQUENCE_FILE(
      "SequenceFile, records", "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat") {
    @Override
    Writer open(Path file, Configuration conf) throws IOException {
      return new SequenceFileWriter(file, conf, CompressionType.RECORD);
    }

    /**
     * Old records are copied as they were compressed: compressing tens of millions of lines again,
     * each by itself, gives the same bytes and takes most of an hour.
     */
    @Override
    Writer openEdited(Path file, Configuration conf, Path before, long[] positions)
        throws IOException {
      return new CopyingWriter(file, conf, before, positions);
    }
  },
  SEQUENCE_FILE_BLOCKS(
      "SequenceFile, blocks", "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat") {
    @Override
    Writer open(Path file, Configuration conf) throws IOException {
      return new SequenceFileWriter(file, conf, CompressionType.BLOCK);
    }
  },
  AVRO("Avro", "org.apache.avro.mapreduce.AvroKeyInputFormat") {
    @Override
    Writer open(Path file, Configuration conf) throws IOException {
      return new AvroWriter(file);
    }
  };

  private final String title;
  private final String inputFormat;

  RecordFile(String title, String inputFormat) {
    this.title = title;
    this.inputFormat = inputFormat;
  }

  /** For people. */
  String title() {
    return title;
  }

  /** Class name of the input format that reads it. */
  String inputFormat() {
    return inputFormat;
  }

  abstract Writer open(Path file, Configuration conf) throws IOException;

  /** Opens one for an edited version of another, which has its records at these positions. */
  Writer openEdited(Path file, Configuration conf, Path before, long[] positions)
      throws IOException {
    return open(file, conf);
  }

  /**
   * Writes all records.
   *
   * @return where in the file each begins, or the compressed block that it is in
   */
  long[] write(Path file, Configuration conf, Records records) throws IOException {
    long[] positions = new long[records.count()];
    try (Writer out = open(file, conf)) {
      for (int i = 0; i < positions.length; i++) {
        positions[i] = out.position();
        out.write(records.bytes(), records.start(i), records.length(i));
      }
    }
    return positions;
  }

  /**
   * Writes an edited version.
   *
   * @param before the file with all records as they were, which {@link #write(Path, Configuration,
   *     Records)} has written
   * @param positions what that has returned
   */
  void write(
      Path file,
      Configuration conf,
      Records records,
      List<Edit.Run> runs,
      Path before,
      long[] positions)
      throws IOException {
    try (Writer out = openEdited(file, conf, before, positions)) {
      for (Edit.Run run : runs) {
        out.write(records, run);
      }
    }
  }

  /** Takes records one after the other. */
  interface Writer extends Closeable {
    /** Where the next record goes; at most some buffered bytes too low. */
    long position() throws IOException;

    void write(byte[] bytes, int from, int length) throws IOException;

    /** Writes the new record, if there is one, and the old ones after it. */
    default void write(Records records, Edit.Run run) throws IOException {
      if (run.fresh() != null) {
        write(run.fresh(), 0, run.fresh().length);
      }
      writeOld(records, run.from(), run.to());
    }

    /** Writes records as they were, from one to before another. */
    default void writeOld(Records records, int from, int to) throws IOException {
      for (int i = from; i < to; i++) {
        write(records.bytes(), records.start(i), records.length(i));
      }
    }
  }

  private static org.apache.hadoop.fs.Path hadoopPath(Path file) {
    return new org.apache.hadoop.fs.Path(file.toUri());
  }

  private static final class TextWriter implements Writer {
    private final OutputStream out;
    private long position;

    TextWriter(Path file) throws IOException {
      out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
      position += length;
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  private static class SequenceFileWriter implements Writer {
    final SequenceFile.Writer out;
    private final BytesWritable value = new BytesWritable();

    SequenceFileWriter(Path file, Configuration conf, CompressionType compression)
        throws IOException {
      out =
          SequenceFile.createWriter(
              conf,
              SequenceFile.Writer.file(hadoopPath(file)),
              SequenceFile.Writer.keyClass(NullWritable.class),
              SequenceFile.Writer.valueClass(BytesWritable.class),
              SequenceFile.Writer.compression(compression));
    }

    @Override
    public long position() throws IOException {
      return out.getLength();
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      value.set(bytes, from, length);
      out.append(NullWritable.get(), value);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** Copies old records as they were compressed. */
  private static final class CopyingWriter extends SequenceFileWriter {
    private final SequenceFile.Reader before;
    private final long[] positions;
    private final SequenceFile.ValueBytes value;
    private final DataOutputBuffer key = new DataOutputBuffer();

    CopyingWriter(Path file, Configuration conf, Path before, long[] positions) throws IOException {
      super(file, conf, CompressionType.RECORD);
      this.before = new SequenceFile.Reader(conf, SequenceFile.Reader.file(hadoopPath(before)));
      this.positions = positions;
      value = this.before.createValueBytes();
    }

    @Override
    public void writeOld(Records records, int from, int to) throws IOException {
      if (from < to) {
        before.seek(positions[from]);
      }
      for (int i = from; i < to; i++) {
        key.reset();
        before.nextRaw(key, value);
        out.appendRaw(key.getData(), 0, key.getLength(), value);
      }
    }

    @Override
    public void close() throws IOException {
      try (before) {
        super.close();
      }
    }
  }

  private static final class AvroWriter implements Writer {
    private final DataFileWriter<ByteBuffer> out;
    private final Counted counted;

    AvroWriter(Path file) throws IOException {
      counted = new Counted(new BufferedOutputStream(Files.newOutputStream(file), 1 << 20));
      out = new DataFileWriter<>(new GenericDatumWriter<ByteBuffer>());
      out.create(Schema.create(Schema.Type.BYTES), counted);
    }

    @Override
    public long position() {
      return counted.count;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.append(ByteBuffer.wrap(bytes, from, length));
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  private static final class Counted extends FilterOutputStream {
    private long count;

    Counted(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      count++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
      count += length;
    }
  }
}
