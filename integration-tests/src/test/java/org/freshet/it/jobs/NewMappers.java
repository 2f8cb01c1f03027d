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
import org.apache.avro.mapred.AvroKey;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Mappers of the new API; {@link OldMappers} has the same ones for the old API. */
public final class NewMappers {
  private NewMappers() {}

  /** A one for each word. */
  public static class Tokens extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final IntWritable one = new IntWritable(1);
    private final Text word = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        word.set(words.nextToken());
        context.write(word, one);
      }
    }
  }

  /** The first two fields as a composite key, the line's length as value. */
  public static class Fields extends Mapper<LongWritable, Text, WordPair, LongWritable> {
    private final WordPair pair = new WordPair();
    private final LongWritable length = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] fields = line.toString().split(" ", 3);
      pair.set(fields[0], fields.length > 1 ? fields[1].length() : -1);
      length.set(line.getLength());
      context.write(pair, length);
    }
  }

  /** Counts words in memory and writes the counts at the end: in-mapper combining. */
  public static class InMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final Map<String, Integer> counts = new HashMap<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        counts.merge(words.nextToken(), 1, Integer::sum);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (Map.Entry<String, Integer> e : counts.entrySet()) {
        context.write(new Text(e.getKey()), new IntWritable(e.getValue()));
      }
    }
  }

  /** The offset of each line, by its first word: sensitive to the line's position. */
  public static class Offsets extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(Lines.firstWord(line)), offset);
    }
  }

  /** Words by file name: sensitive to the file that a line stands in. */
  public static class FileNames extends Mapper<LongWritable, Text, Text, IntWritable> {
    private String file;

    @Override
    protected void setup(Context context) {
      file = ((FileSplit) context.getInputSplit()).getPath().getName();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(file + "/" + Lines.firstWord(line)), new IntWritable(1));
    }
  }

  /** Passes lines that begin with a letter of the alphabet's first half, and counts all three. */
  public static class Filter extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.getCounter("it.map", "length " + line.getLength() / 16).increment(1);
      if (line.getLength() == 0) {
        context.getCounter(Quality.EMPTY).increment(1);
      } else if (line.getBytes()[0] < 'n') {
        context.getCounter(Quality.GOOD).increment(1);
        context.write(new Text(Lines.firstWord(line)), new IntWritable(line.getLength()));
      } else {
        context.getCounter(Quality.BAD).increment(1);
      }
    }
  }

  /** Writes nothing. */
  public static class Silent extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** Few keys and values of kilobytes. */
  public static class Big extends Mapper<LongWritable, Text, BytesWritable, BytesWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      byte[] big = Lines.expand(line.getBytes(), line.getLength());
      if (big != null) {
        byte[] key = Lines.bucket(line.getBytes(), line.getLength());
        context.write(new BytesWritable(key), new BytesWritable(big));
      }
    }
  }

  /** The number of words of lines of one length, as integers in floating point. */
  public static class Numbers extends Mapper<LongWritable, Text, LongWritable, DoubleWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      int words = new StringTokenizer(line.toString()).countTokens();
      context.write(new LongWritable(line.getLength()), new DoubleWritable(words));
    }
  }

  /** Words of key and value. */
  public static class PairTokens extends Mapper<Text, Text, Text, IntWritable> {
    @Override
    protected void map(Text key, Text value, Context context)
        throws IOException, InterruptedException {
      context.write(key, new IntWritable(value.getLength()));
      StringTokenizer words = new StringTokenizer(value.toString());
      while (words.hasMoreTokens()) {
        context.write(new Text(words.nextToken()), new IntWritable(1));
      }
    }
  }

  /** The lengths of records, by their first two bytes. */
  public static class RecordLengths extends Mapper<Writable, BytesWritable, Text, IntWritable> {
    @Override
    protected void map(Writable key, BytesWritable record, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(Lines.prefix(record)), new IntWritable(record.getLength()));
    }
  }

  /** The lengths of Avro records, by their first two bytes. */
  public static class DatumLengths
      extends Mapper<AvroKey<GenericRecord>, NullWritable, Text, IntWritable> {
    @Override
    protected void map(AvroKey<GenericRecord> key, NullWritable none, Context context)
        throws IOException, InterruptedException {
      BytesWritable record = Lines.data(key.datum());
      context.write(new Text(Lines.prefix(record)), new IntWritable(record.getLength()));
    }
  }

  /** Few keys and values of kilobytes, from binary records. */
  public static class RecordBig
      extends Mapper<Writable, BytesWritable, BytesWritable, BytesWritable> {
    @Override
    protected void map(Writable key, BytesWritable record, Context context)
        throws IOException, InterruptedException {
      byte[] big = Lines.expand(record.getBytes(), record.getLength());
      if (big != null) {
        byte[] group = Lines.bucket(record.getBytes(), record.getLength());
        context.write(new BytesWritable(group), new BytesWritable(big));
      }
    }
  }
}
