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
package org.freshet.it.jobs;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.StringTokenizer;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroWrapper;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** Mappers of the old API; {@link NewMappers} has the same ones for the new API. */
public final class OldMappers {
  private OldMappers() {}

  /** A one for each word. */
  public static class Tokens extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    private final IntWritable one = new IntWritable(1);
    private final Text word = new Text();

    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        word.set(words.nextToken());
        out.collect(word, one);
      }
    }
  }

  /** The first two fields as a composite key, the line's length as value. */
  public static class Fields extends MapReduceBase
      implements Mapper<LongWritable, Text, WordPair, LongWritable> {
    private final WordPair pair = new WordPair();
    private final LongWritable length = new LongWritable();

    @Override
    public void map(
        LongWritable offset,
        Text line,
        OutputCollector<WordPair, LongWritable> out,
        Reporter reporter)
        throws IOException {
      String[] fields = line.toString().split(" ", 3);
      pair.set(fields[0], fields.length > 1 ? fields[1].length() : -1);
      length.set(line.getLength());
      out.collect(pair, length);
    }
  }

  /** Counts words in memory and writes the counts when it is closed: in-mapper combining. */
  public static class InMapper extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    private final Map<String, Integer> counts = new HashMap<>();
    private OutputCollector<Text, IntWritable> last;

    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter) {
      last = out;
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        counts.merge(words.nextToken(), 1, Integer::sum);
      }
    }

    @Override
    public void close() throws IOException {
      for (Map.Entry<String, Integer> e : counts.entrySet()) {
        last.collect(new Text(e.getKey()), new IntWritable(e.getValue()));
      }
    }
  }

  /** The offset of each line, by its first word: sensitive to the line's position. */
  public static class Offsets extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, LongWritable> out, Reporter reporter)
        throws IOException {
      out.collect(new Text(Lines.firstWord(line)), offset);
    }
  }

  /** Words by file name, read from the configuration: sensitive to the file of a line. */
  public static class FileNames extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    private String file;

    @Override
    public void configure(JobConf job) {
      file = new Path(job.get("mapreduce.map.input.file")).getName();
    }

    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      out.collect(new Text(file + "/" + Lines.firstWord(line)), new IntWritable(1));
    }
  }

  /** Passes lines that begin with a letter of the alphabet's first half, and counts all three. */
  public static class Filter extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      reporter.incrCounter("it.map", "length " + line.getLength() / 16, 1);
      if (line.getLength() == 0) {
        reporter.incrCounter(Quality.EMPTY, 1);
      } else if (line.getBytes()[0] < 'n') {
        reporter.incrCounter(Quality.GOOD, 1);
        out.collect(new Text(Lines.firstWord(line)), new IntWritable(line.getLength()));
      } else {
        reporter.incrCounter(Quality.BAD, 1);
      }
    }
  }

  /** Writes nothing. */
  public static class Silent extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter) {
      // Nothing to write: that is the case under test.
    }
  }

  /** Few keys and values of kilobytes. */
  public static class Big extends MapReduceBase
      implements Mapper<LongWritable, Text, BytesWritable, BytesWritable> {
    @Override
    public void map(
        LongWritable offset,
        Text line,
        OutputCollector<BytesWritable, BytesWritable> out,
        Reporter reporter)
        throws IOException {
      byte[] big = Lines.expand(line.getBytes(), line.getLength());
      if (big != null) {
        byte[] key = Lines.bucket(line.getBytes(), line.getLength());
        out.collect(new BytesWritable(key), new BytesWritable(big));
      }
    }
  }

  /** The number of words of lines of one length, as integers in floating point. */
  public static class Numbers extends MapReduceBase
      implements Mapper<LongWritable, Text, LongWritable, DoubleWritable> {
    @Override
    public void map(
        LongWritable offset,
        Text line,
        OutputCollector<LongWritable, DoubleWritable> out,
        Reporter reporter)
        throws IOException {
      int words = new StringTokenizer(line.toString()).countTokens();
      out.collect(new LongWritable(line.getLength()), new DoubleWritable(words));
    }
  }

  /** Words of key and value. */
  public static class PairTokens extends MapReduceBase
      implements Mapper<Text, Text, Text, IntWritable> {
    @Override
    public void map(Text key, Text value, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      out.collect(key, new IntWritable(value.getLength()));
      StringTokenizer words = new StringTokenizer(value.toString());
      while (words.hasMoreTokens()) {
        out.collect(new Text(words.nextToken()), new IntWritable(1));
      }
    }
  }

  /** The lengths of records, by their first two bytes. */
  public static class RecordLengths extends MapReduceBase
      implements Mapper<Writable, BytesWritable, Text, IntWritable> {
    @Override
    public void map(
        Writable key,
        BytesWritable record,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      out.collect(new Text(Lines.prefix(record)), new IntWritable(record.getLength()));
    }
  }

  /** The lengths of Avro records, by their first two bytes. */
  public static class DatumLengths extends MapReduceBase
      implements Mapper<AvroWrapper<GenericRecord>, NullWritable, Text, IntWritable> {
    @Override
    public void map(
        AvroWrapper<GenericRecord> key,
        NullWritable none,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      BytesWritable record = Lines.data(key.datum());
      out.collect(new Text(Lines.prefix(record)), new IntWritable(record.getLength()));
    }
  }

  /** Few keys and values of kilobytes, from binary records. */
  public static class RecordBig extends MapReduceBase
      implements Mapper<Writable, BytesWritable, BytesWritable, BytesWritable> {
    @Override
    public void map(
        Writable key,
        BytesWritable record,
        OutputCollector<BytesWritable, BytesWritable> out,
        Reporter reporter)
        throws IOException {
      byte[] big = Lines.expand(record.getBytes(), record.getLength());
      if (big != null) {
        byte[] group = Lines.bucket(record.getBytes(), record.getLength());
        out.collect(new BytesWritable(group), new BytesWritable(big));
      }
    }
  }
}
