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
package org.freshet.mapreduce.analysis;

import java.io.IOException;
import java.time.LocalDate;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.MultipleTextOutputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;

/** Formats for the tests of the analysis; never run, only read. */
final class SampleFormats {

  private SampleFormats() {}

  /** Opens its split, as a reader does. */
  static class Lines extends FileInputFormat<LongWritable, Text> {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new Reader();
    }
  }

  static class Reader extends LineRecordReader {
    private byte first;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
      super.initialize(split, context);
      Path path = ((FileSplit) split).getPath();
      try (FSDataInputStream in = path.getFileSystem(context.getConfiguration()).open(path)) {
        first = in.readByte();
      }
      context.setStatus(context.getTaskAttemptID() + " begins with " + first);
    }
  }

  static class StampedLines extends Lines {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new Reader() {
        @Override
        public Text getCurrentValue() {
          return new Text(System.currentTimeMillis() + " " + super.getCurrentValue());
        }
      };
    }
  }

  static class ByDay extends MultipleTextOutputFormat<Text, Text> {
    @Override
    protected String generateFileNameForKeyValue(Text key, Text value, String name) {
      return LocalDate.now() + "/" + name;
    }
  }

  static class ByKey extends MultipleTextOutputFormat<Text, Text> {
    @Override
    protected String generateFileNameForKeyValue(Text key, Text value, String name) {
      return key + "/" + name;
    }

    @Override
    protected String getInputFileBasedOutputFileName(JobConf job, String name) {
      return job.get("prefix", "") + name;
    }
  }
}
