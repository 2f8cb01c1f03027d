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

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;

/** Mappers that keep something from record to record, and others; never run, only read. */
// They are written as jobs are, not as they should be.
@SuppressWarnings({"StringSplitter", "UnusedVariable"})
final class StateMappers {

  private StateMappers() {}

  abstract static class Lines extends Mapper<LongWritable, Text, Text, IntWritable> {
    static final IntWritable ONE = new IntWritable(1);
  }

  // ---- that keep something

  static class SkipsHeader extends Lines {
    private boolean header = true;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (header) {
        header = false;
        return;
      }
      context.write(line, ONE);
    }
  }

  static class ComparesWithPrevious extends Lines {
    private String previous = "";

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      String now = line.toString();
      if (!now.equals(previous)) {
        context.write(line, ONE);
      }
      previous = now;
    }
  }

  static class NumbersLines extends Lines {
    private int number;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, new IntWritable(number++));
    }
  }

  static class FirstHundred extends Lines {
    private long seen;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (++seen <= 100) {
        context.write(line, ONE);
      }
    }
  }

  static class Sections extends Lines {
    private final Text section = new Text();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (line.find("#") == 0) {
        section.set(line);
      } else {
        context.write(section, ONE);
      }
    }
  }

  static class Paragraphs extends Lines {
    private final StringBuilder paragraph = new StringBuilder();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (line.getLength() == 0) {
        context.write(new Text(paragraph.toString()), ONE);
        paragraph.setLength(0);
      } else {
        paragraph.append(line);
      }
    }
  }

  static class Samples extends Lines {
    private Random random;

    @Override
    protected void setup(Context context) {
      random = new Random(42);
    }

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (random.nextInt(10) == 0) {
        context.write(line, ONE);
      }
    }
  }

  static class CombinesUntilFull extends Lines {
    private final Map<String, Integer> counts = new HashMap<>();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      counts.merge(line.toString(), 1, Integer::sum);
      if (counts.size() > 1000) {
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
          context.write(new Text(count.getKey()), new IntWritable(count.getValue()));
        }
        counts.clear();
      }
    }
  }

  static class AsksHelper extends Lines {
    private static final class Total {
      private int sum;

      int add(int more) {
        sum += more;
        return sum;
      }
    }

    private final Total total = new Total();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, new IntWritable(total.add(line.getLength())));
    }
  }

  static class ThroughMethods extends Lines {
    private String last;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (isNew(line.toString())) {
        context.write(line, ONE);
      }
    }

    private boolean isNew(String line) {
      boolean differs = !line.equals(last);
      remember(line);
      return differs;
    }

    private void remember(String line) {
      last = line;
    }
  }

  static class SetOnOnePathOnly extends Lines {
    private String user;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      String[] fields = line.toString().split(" ");
      if (fields.length > 1) {
        user = fields[1];
      }
      context.write(new Text(user), ONE);
    }
  }

  static class OwnLoopCounts extends Lines {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      int records = 0;
      while (context.nextKeyValue()) {
        if (records++ > 0) {
          context.write(context.getCurrentValue(), ONE);
        }
      }
    }
  }

  static class OwnLoopGathers extends Lines {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      List<String> lines = new ArrayList<>();
      while (context.nextKeyValue()) {
        lines.add(context.getCurrentValue().toString());
      }
      context.write(new Text(lines.toString()), ONE);
    }
  }

  static class OldSkipsHeader extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, IntWritable> {
    private boolean header = true;

    @Override
    public void map(
        LongWritable key, Text line, OutputCollector<Text, IntWritable> output, Reporter reporter)
        throws IOException {
      if (!header) {
        output.collect(line, new IntWritable(1));
      }
      header = false;
    }
  }

  static class SetInLambda extends Lines {
    private String user = "";

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      Optional.of(line.toString()).filter(text -> text.startsWith("u")).ifPresent(u -> user = u);
      context.write(new Text(user), ONE);
    }
  }

  static final class Parsed {
    private String user = "";

    void set(String line) {
      user = line;
    }
  }

  static class TwoOfAClass extends Lines {
    private final Parsed now = new Parsed();
    private final Parsed last = new Parsed();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      now.set(line.toString());
      if (!now.user.equals(last.user)) {
        context.write(line, ONE);
      }
      last.user = now.user;
    }
  }

  static class GathersAfterHeader extends Lines {
    private boolean header = true;
    private final Map<String, Integer> counts = new HashMap<>();

    @Override
    protected void map(LongWritable key, Text line, Context context) {
      if (header) {
        header = false;
        return;
      }
      counts.merge(line.toString(), 1, Integer::sum);
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (Map.Entry<String, Integer> count : counts.entrySet()) {
        context.write(new Text(count.getKey()), new IntWritable(count.getValue()));
      }
    }
  }

  static class FlushesByCleanup extends Lines {
    private String group = "";
    private int lines;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (!line.toString().equals(group)) {
        cleanup(context);
        group = line.toString();
        lines = 0;
      }
      lines++;
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      context.write(new Text(group), new IntWritable(lines));
    }
  }

  static class KeepsInCallback extends Lines {
    private int order;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      List<String> words = new ArrayList<>(List.of(line.toString().split(" ")));
      words.removeIf(
          new Predicate<>() {
            @Override
            public boolean test(String word) {
              return order++ % 2 == 0;
            }
          });
      context.write(new Text(words.toString()), ONE);
    }
  }

  abstract static class WithWindow extends Lines {
    protected final List<String> window = new ArrayList<>();

    void keep(String line) {
      window.add(line);
    }
  }

  static class UsesInheritedField extends WithWindow {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (!window.contains(line.toString())) {
        context.write(line, ONE);
      }
      keep(line.toString());
    }
  }

  static class OwnLoopWithArray extends Lines {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      String[] previous = new String[1];
      while (context.nextKeyValue()) {
        String line = context.getCurrentValue().toString();
        if (!line.equals(previous[0])) {
          context.write(new Text(line), ONE);
        }
        previous[0] = line;
      }
    }
  }

  // ---- that keep nothing, or nothing for a record

  /** As Scala compiles {@code val word = new Text}. */
  static class ThroughAccessors extends Lines {
    private final Text word = new Text();
    private long length;

    private Text word() {
      return word;
    }

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      length = length + line.getLength();
      word().set(line);
      context.write(word(), ONE);
    }
  }

  static class ReusesBuilder extends Lines {
    private final StringBuilder text = new StringBuilder();
    private final Text out = new Text();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      text.setLength(0);
      for (String word : line.toString().split(" ")) {
        text.append(word);
      }
      out.set(text.toString());
      context.write(out, ONE);
    }
  }

  /** As the parsers of weather records are that many first jobs have. */
  static final class Parser {
    private String station;
    private int temperature;
    private boolean isMalformed;

    void parse(Text line) {
      parse(line.toString());
    }

    void parse(String line) {
      station = line.substring(0, 4);
      if (line.charAt(4) == '+' || line.charAt(4) == '-') {
        temperature = Integer.parseInt(line.substring(4, 9));
        isMalformed = false;
      } else {
        temperature = 0;
        isMalformed = true;
      }
    }

    boolean isValid() {
      return !isMalformed && temperature < 1000;
    }
  }

  static class ParsesByHelper extends Lines {
    private final Parser parser = new Parser();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      parser.parse(line);
      if (parser.isValid()) {
        context.write(new Text(parser.station), new IntWritable(parser.temperature));
      }
    }
  }

  static class CombinesInMemory extends Lines {
    private final Map<String, Integer> counts = new HashMap<>();

    @Override
    protected void map(LongWritable key, Text line, Context context) {
      Integer before = counts.get(line.toString());
      counts.put(line.toString(), before == null ? 1 : before + 1);
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (Map.Entry<String, Integer> count : counts.entrySet()) {
        context.write(new Text(count.getKey()), new IntWritable(count.getValue()));
      }
    }
  }

  static class CountsForCounter extends Lines {
    private long lines;
    private long bytes;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      lines++;
      bytes += line.getLength();
      context.write(line, ONE);
    }

    @Override
    protected void cleanup(Context context) {
      context.getCounter("it", "lines").increment(lines);
      context.getCounter("it", "bytes").increment(bytes);
    }
  }

  static final class Pair implements Writable {
    private String left = "";
    private int right;

    void set(String first, int second) {
      left = first;
      right = second;
    }

    void setRight(int second) {
      right = second;
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeUTF(left);
      out.writeInt(right);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      left = in.readUTF();
      right = in.readInt();
    }
  }

  static class FillsOwnValue extends Mapper<LongWritable, Text, Text, Pair> {
    private final Pair pair = new Pair();
    private final Pair other = new Pair();

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      pair.set(line.toString(), line.getLength());
      context.write(line, pair);
      other.setRight(line.getLength());
      context.write(line, other);
    }
  }

  static class Configured extends Lines {
    private String prefix;
    private Map<String, String> table;

    @Override
    protected void setup(Context context) {
      prefix = context.getConfiguration().get("prefix", "");
      table = new HashMap<>();
      table.put("a", prefix);
    }

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(prefix + table.get(line.toString())), ONE);
    }
  }

  static class ScratchFields extends Lines {
    private String line;
    private String[] words;

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      line = value.toString();
      cut();
      context.write(new Text(words[0] + line), ONE);
    }

    private void cut() {
      words = line.split(" ");
    }
  }

  static class MakesHelperPerRecord extends Lines {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      Parser parser = new Parser();
      if (parser.isValid()) {
        parser.parse(line);
      }
      context.write(new Text(parser.station), ONE);
    }
  }

  // ---- partitioners

  static class RoundRobin extends Partitioner<Text, IntWritable> {
    private int next;

    @Override
    public int getPartition(Text key, IntWritable value, int partitions) {
      return next++ % partitions;
    }
  }

  static class ByLength extends Partitioner<Text, IntWritable> {
    private final Text copy = new Text();

    @Override
    public int getPartition(Text key, IntWritable value, int partitions) {
      copy.set(key);
      return copy.getLength() % partitions;
    }
  }
}
