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
package org.freshet.it.formats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.mapreduce.AvroKeyInputFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.freshet.it.harness.AvroFile;
import org.freshet.it.jobs.NewMappers;

/** A format of files, with a job that reads it. */
enum FileKind {
  CR_LF_TEXT {
    @Override
    void write(Path file, List<String> records) throws IOException {
      Files.writeString(file, String.join("\r\n", records));
    }

    @Override
    void configure(JobConf job) {
      reads(job, TextInputFormat.class, NewMappers.Tokens.class);
    }
  },
  DELIMITED_TEXT {
    @Override
    void write(Path file, List<String> records) throws IOException {
      Files.writeString(file, String.join("</record>\n", records));
    }

    @Override
    void configure(JobConf job) {
      job.set("textinputformat.record.delimiter", "</record>\n");
      reads(job, TextInputFormat.class, NewMappers.Tokens.class);
    }
  },
  FIXED_LENGTH {
    private static final int RECORD_BYTES = 32;

    @Override
    void write(Path file, List<String> records) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (String record : records) {
        out.writeBytes(java.util.Arrays.copyOf(record.getBytes(UTF_8), RECORD_BYTES));
      }
      Files.write(file, out.toByteArray());
    }

    @Override
    void configure(JobConf job) {
      FixedLengthInputFormat.setRecordLength(job, RECORD_BYTES);
      reads(job, FixedLengthInputFormat.class, NewMappers.RecordLengths.class);
    }
  },
  SEQUENCE_FILE {
    @Override
    void write(Path file, List<String> records) throws IOException {
      sequenceFile(file, CompressionType.NONE, records);
    }

    @Override
    void configure(JobConf job) {
      reads(job, SequenceFileInputFormat.class, NewMappers.RecordLengths.class);
    }
  },
  SEQUENCE_FILE_OF_COMPRESSED_RECORDS {
    @Override
    void write(Path file, List<String> records) throws IOException {
      sequenceFile(file, CompressionType.RECORD, records);
    }

    @Override
    void configure(JobConf job) {
      reads(job, SequenceFileInputFormat.class, NewMappers.RecordLengths.class);
    }
  },
  SEQUENCE_FILE_OF_COMPRESSED_BLOCKS {
    @Override
    void write(Path file, List<String> records) throws IOException {
      sequenceFile(file, CompressionType.BLOCK, records);
    }

    @Override
    void configure(JobConf job) {
      reads(job, SequenceFileInputFormat.class, NewMappers.RecordLengths.class);
    }
  },
  AVRO {
    @Override
    void write(Path file, List<String> records) throws IOException {
      avro(file, "null", records);
    }

    @Override
    void configure(JobConf job) {
      readsAvro(job);
    }
  },
  COMPRESSED_AVRO {
    @Override
    void write(Path file, List<String> records) throws IOException {
      avro(file, "deflate", records);
    }

    @Override
    void configure(JobConf job) {
      readsAvro(job);
    }
  };

  private static final int SYNC_BYTES = 700;
  private static final Schema SCHEMA =
      SchemaBuilder.record("Record").fields().requiredString("word").endRecord();

  /** Writes a file of these records, which have up to 32 bytes. */
  abstract void write(Path file, List<String> records) throws IOException;

  /** Sets input format and mapper; the mapper gives words or such and numbers. */
  abstract void configure(JobConf job);

  private static void reads(JobConf job, Class<?> inputFormat, Class<?> mapper) {
    job.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, inputFormat.getName());
    job.set(MRJobConfig.MAP_CLASS_ATTR, mapper.getName());
  }

  private static void readsAvro(JobConf job) {
    job.set("avro.schema.input.key", SCHEMA.toString());
    reads(job, AvroKeyInputFormat.class, AvroWords.class);
  }

  private static void sequenceFile(Path file, CompressionType compression, List<String> records)
      throws IOException {
    Configuration conf = new Configuration();
    conf.setInt("io.seqfile.compress.blocksize", SYNC_BYTES);
    Files.deleteIfExists(file);
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            conf,
            SequenceFile.Writer.file(new org.apache.hadoop.fs.Path(file.toUri())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(BytesWritable.class),
            SequenceFile.Writer.syncInterval(SYNC_BYTES),
            SequenceFile.Writer.compression(compression, new DefaultCodec()))) {
      for (String record : records) {
        writer.append(new Text(""), new BytesWritable(record.getBytes(UTF_8)));
      }
    }
  }

  private static void avro(Path file, String codec, List<String> records) throws IOException {
    AvroFile.write(
        file, SCHEMA, codec, SYNC_BYTES, records, (datum, record) -> datum.put("word", record));
  }
}
