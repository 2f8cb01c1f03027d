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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.mapred.AvroWrapper;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/** Reads ranges of a file with a stock input format of either API, as a map task would. */
record StockReader(Class<?> inputFormat, Configuration conf) {

  /** A record in words; {@code place} is the key where that is an offset, else empty. */
  record Read(String place, String text) {}

  List<Read> all(Path file, long length) throws IOException, InterruptedException {
    return range(file, new RecordFormat.Range(0, length));
  }

  List<Read> range(Path file, RecordFormat.Range range) throws IOException, InterruptedException {
    return InputFormat.class.isAssignableFrom(inputFormat)
        ? newApi(file, range)
        : oldApi(file, range);
  }

  private List<Read> newApi(Path file, RecordFormat.Range range)
      throws IOException, InterruptedException {
    TaskAttemptContext context =
        new TaskAttemptContextImpl(
            conf, new TaskAttemptID(new TaskID(new JobID("read", 1), TaskType.MAP, 0), 0));
    InputFormat<?, ?> format = (InputFormat<?, ?>) ReflectionUtils.newInstance(inputFormat, conf);
    InputSplit split =
        new org.apache.hadoop.mapreduce.lib.input.FileSplit(
            file, range.start(), range.length(), null);
    List<Read> records = new ArrayList<>();
    try (RecordReader<?, ?> reader = format.createRecordReader(split, context)) {
      reader.initialize(split, context);
      while (reader.nextKeyValue()) {
        records.add(read(reader.getCurrentKey(), reader.getCurrentValue()));
      }
    }
    return records;
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private List<Read> oldApi(Path file, RecordFormat.Range range) throws IOException {
    JobConf job = new JobConf(conf);
    var format =
        (org.apache.hadoop.mapred.InputFormat) ReflectionUtils.newInstance(inputFormat, job);
    var split =
        new org.apache.hadoop.mapred.FileSplit(
            file, range.start(), range.length(), (String[]) null);
    List<Read> records = new ArrayList<>();
    org.apache.hadoop.mapred.RecordReader reader =
        format.getRecordReader(split, job, Reporter.NULL);
    try {
      Object key = reader.createKey();
      Object value = reader.createValue();
      while (reader.next(key, value)) {
        records.add(read(key, value));
      }
    } finally {
      reader.close();
    }
    return records;
  }

  private static Read read(Object key, Object value) {
    return key instanceof LongWritable offset
        ? new Read(offset.toString(), words(value))
        : new Read("", words(key) + "=" + words(value));
  }

  private static String words(Object object) {
    return String.valueOf(object instanceof AvroWrapper<?> avro ? avro.datum() : object);
  }
}
