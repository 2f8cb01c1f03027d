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
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.map.InverseMapper;
import org.apache.hadoop.util.Tool;

/** Mappers for the tests of position sensitivity; never run, only read. */
// They are written as jobs are, not as they should be.
@SuppressWarnings({"StringSplitter", "UnnecessaryLambda", "UnusedVariable"})
final class PositionMappers {

  private PositionMappers() {}

  /** The plain case. */
  static class Tokens extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static final IntWritable ONE = new IntWritable(1);
    private final Text word = new Text();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      for (String token : line.toString().split(" ")) {
        word.set(token);
        context.write(word, ONE);
        context.getCounter("tokens", "seen").increment(1);
      }
    }
  }

  static class EmitsKey extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, key);
    }
  }

  static class CopiesKeyUnused extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      LongWritable offset = key;
      context.write(line, new LongWritable(1));
      offset = null;
    }
  }

  static class KeyThroughLocal extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      Object offset = key;
      if (line.getLength() > 0) {
        context.write(line, (LongWritable) offset);
      }
    }
  }

  static class KeyInLambda extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context) {
      Supplier<String> shown = () -> "" + key;
      context.setStatus(shown.get());
    }
  }

  static class DelegatesToIdentity extends Mapper<LongWritable, Text, LongWritable, Text> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      super.map(key, line, context);
    }
  }

  static class DelegatesToTokens extends Tokens {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      super.map(key, line, context);
    }
  }

  /** Its base class, a library one, emits the key. */
  static class InheritsInverse extends InverseMapper<LongWritable, Text> {}

  /** A generic base whose map function gets only a bridge from the compiler. */
  abstract static class LineMapper<K, V> extends Mapper<K, V, Text, IntWritable> {
    abstract void line(V value, Context context) throws IOException, InterruptedException;

    @Override
    protected void map(K key, V value, Context context) throws IOException, InterruptedException {
      line(value, context);
    }
  }

  static class GenericLines extends LineMapper<LongWritable, Text> {
    @Override
    void line(Text value, Context context) throws IOException, InterruptedException {
      context.write(value, new IntWritable(1));
    }
  }

  static class OwnRunLoop extends Tokens {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      setup(context);
      while (context.nextKeyValue()) {
        map(context.getCurrentKey(), context.getCurrentValue(), context);
      }
      cleanup(context);
    }
  }

  static class RunLoopReadsKey extends Tokens {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      while (context.nextKeyValue()) {
        context.write(new Text(context.getCurrentKey().toString()), new IntWritable(1));
      }
    }
  }

  static class KeyByMethodReference extends Tokens {
    interface Source {
      Object next() throws IOException, InterruptedException;
    }

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      Source keys = context::getCurrentKey;
      context.write(new Text(keys.next().toString()), new IntWritable(1));
    }
  }

  static class ReadsSplit extends Tokens {
    private String file;

    @Override
    protected void setup(Context context) {
      file = ((FileSplit) context.getInputSplit()).getPath().getName();
    }

    @Override
    public String toString() {
      return file;
    }
  }

  static class SplitByMethodReference extends Tokens {
    @Override
    protected void setup(Context context) {
      Supplier<InputSplit> split = context::getInputSplit;
      context.setStatus(split.get().toString());
    }
  }

  /** Hands its context to code of its own that looks at the attempt. */
  static class AttemptInHelper extends Tokens {
    @Override
    protected void setup(Context context) {
      new Labels(context).label();
    }
  }

  private static final class Labels {
    private final TaskAttemptContext context;

    Labels(TaskAttemptContext context) {
      this.context = context;
    }

    String label() {
      return context.getTaskAttemptID().toString();
    }
  }

  /** Hands its context to code of its own that does not. */
  static class HarmlessHelper extends Tokens {
    @Override
    protected void setup(Context context) {
      HarmlessHelper.status(context);
    }

    static void status(TaskAttemptContext context) {
      context.setStatus("running with " + context.getConfiguration().getInt("limit", 3));
      context.progress();
    }
  }

  /** The interface has two implementations, of which only the harmless one is ever made. */
  interface Tagger {
    String tag(Mapper<?, ?, ?, ?>.Context context);
  }

  static class ConstantTagger implements Tagger {
    @Override
    public String tag(Mapper<?, ?, ?, ?>.Context context) {
      return "";
    }
  }

  static class SplitTagger implements Tagger {
    @Override
    public String tag(Mapper<?, ?, ?, ?>.Context context) {
      return context.getInputSplit().toString();
    }
  }

  static class TagsConstantly extends Tokens {
    private final Tagger tagger = new ConstantTagger();

    @Override
    protected void setup(Context context) {
      tagger.tag(context);
    }
  }

  static class TagsWithSplit extends Tokens {
    private final List<Tagger> taggers = new ArrayList<>();

    @Override
    protected void setup(Context context) {
      taggers.add(new ConstantTagger());
      for (Tagger tagger : taggers) {
        tagger.tag(context);
      }
      taggers.add(new SplitTagger());
    }
  }

  static class AnonymousTagger extends Tokens {
    @Override
    protected void setup(Context context) {
      new Tagger() {
        @Override
        public String tag(Mapper<?, ?, ?, ?>.Context inner) {
          return inner.getInputSplit().toString();
        }
      }.tag(context);
    }
  }

  static class LambdaInField extends Tokens {
    private final Consumer<Context> onStart = c -> c.getInputSplit();

    @Override
    protected void setup(Context context) {
      onStart.accept(context);
    }
  }

  static class ConstantProperties extends Tokens {
    private static final String MIN = "tokens.min";
    private static final String MAX;

    static {
      MAX = "tokens.max";
    }

    @Override
    protected void setup(Context context) {
      Configuration conf = context.getConfiguration();
      conf.getInt(MIN, 1);
      conf.getInt(MAX, 1);
      conf.getBoolean("tokens.lower", false);
    }
  }

  static class InputFileProperty extends Tokens {
    private static final String NAME = "mapreduce.map.input.file";

    @Override
    protected void setup(Context context) {
      context.getConfiguration().get(NAME);
    }
  }

  static class TaskPartitionProperty extends Tokens {
    @Override
    protected void setup(Context context) {
      context.getConfiguration().getInt("mapred.task.partition", 0);
    }
  }

  static class JobNameProperty extends Tokens {
    @Override
    protected void setup(Context context) {
      context.getConfiguration().get("mapreduce.job.name");
    }
  }

  static class ConcatenatedProperty extends Tokens {
    @Override
    protected void setup(Context context) {
      String stage = "map";
      for (int i = 0; i < 2; i++) {
        context.getConfiguration().get("mapreduce." + stage + i);
      }
    }
  }

  static class PropertyFromArgument extends Tokens {
    @Override
    protected void setup(Context context) {
      read(context.getConfiguration(), "mapreduce.map.input.file");
    }

    private static String read(Configuration conf, String name) {
      return conf.get(name);
    }
  }

  static class IteratesConfiguration extends Tokens {
    @Override
    protected void setup(Context context) {
      for (Map.Entry<String, String> entry : context.getConfiguration()) {
        context.setStatus(entry.getValue());
      }
    }
  }

  static class CallsByReflection extends Tokens {
    @Override
    protected void setup(Context context) {
      try {
        context.getClass().getMethod("getInputSplit").invoke(context);
      } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static class NamesConstantClass extends Tokens {
    @Override
    protected void setup(Context context) {
      try {
        Class.forName("org.freshet.mapreduce.analysis.PositionMappers$ConstantTagger");
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static class NamesConfiguredClass extends Tokens {
    @Override
    protected void setup(Context context) {
      try {
        Class.forName(context.getConfiguration().get("tagger.class"));
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Looks at the split only in the program part, which no task calls. */
  static class MapperAndTool extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, IntWritable>, Tool {
    private Configuration conf;

    @Override
    public void map(
        LongWritable key, Text line, OutputCollector<Text, IntWritable> output, Reporter reporter)
        throws IOException {
      output.collect(line, new IntWritable(1));
      reporter.incrCounter("lines", "seen", 1);
    }

    @Override
    public int run(String[] args) {
      return conf.get(args[0]).length() + System.getenv().size();
    }

    @Override
    public void setConf(Configuration conf) {
      this.conf = conf;
    }

    @Override
    public Configuration getConf() {
      return conf;
    }
  }

  static class OldEmitsKey extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    public void map(
        LongWritable key, Text line, OutputCollector<Text, LongWritable> output, Reporter reporter)
        throws IOException {
      output.collect(line, key);
    }
  }

  static class OldReadsSplit extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    public void map(
        LongWritable key, Text line, OutputCollector<Text, IntWritable> output, Reporter reporter)
        throws IOException {
      output.collect(new Text(reporter.getInputSplit().toString()), new IntWritable(1));
    }
  }

  static class OldInputFile extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, IntWritable> {
    private String file;

    @Override
    public void configure(JobConf job) {
      file = job.get("map.input.file");
    }

    @Override
    public void map(
        LongWritable key, Text line, OutputCollector<Text, IntWritable> output, Reporter reporter)
        throws IOException {
      output.collect(new Text(file), new IntWritable(1));
    }
  }
}
