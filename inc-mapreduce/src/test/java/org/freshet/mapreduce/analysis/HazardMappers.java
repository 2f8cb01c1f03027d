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

import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xml.sax.SAXException;

/** Mappers for the tests of hazards; never run, only read. */
// They are written as jobs are, not as they should be.
@SuppressWarnings({
  "DefaultCharset",
  "JavaInstantGetSecondsGetNano",
  "JavaUtilDate",
  "StringSplitter",
  "UnnecessaryLambda"
})
final class HazardMappers {

  private HazardMappers() {}

  /** What all have in common: one abstract step for each record. */
  abstract static class Step extends Mapper<LongWritable, Text, Text, IntWritable> {
    abstract int step(String line, Context context) throws IOException, InterruptedException;

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, new IntWritable(step(line.toString(), context)));
    }
  }

  // ---- outside data

  static class OpensFileSystem extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      return FileSystem.get(context.getConfiguration()).open(new Path(line)).read();
    }
  }

  static class HandlesPathsOnly extends Step {
    @Override
    int step(String line, Context context) {
      return new Path(line).getName().length();
    }
  }

  static class ReadsLocalFile extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      try (FileReader reader = new FileReader("stop-words")) {
        return reader.read() + Files.readAllLines(Paths.get("stop-words")).size();
      }
    }
  }

  static class ReadsEnvironment extends Step {
    @Override
    int step(String line, Context context) {
      return System.getenv("HOME").length();
    }
  }

  static class WritesSideFiles extends Step {
    private MultipleOutputs<Text, IntWritable> outputs;

    @Override
    protected void setup(Context context) {
      outputs = new MultipleOutputs<>(context);
    }

    @Override
    int step(String line, Context context) throws IOException, InterruptedException {
      outputs.write(new Text(line), new IntWritable(1), "side");
      return 1;
    }
  }

  static class SetByMain extends Step {
    static int minimum = 3;

    @Override
    int step(String line, Context context) {
      return Math.max(minimum, line.length());
    }

    public static void main(String[] args) {
      minimum = Integer.parseInt(args[0]);
    }
  }

  static class ReadsStandardInput extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      return System.in.read();
    }
  }

  static class CountsMapTasks extends Step {
    @Override
    int step(String line, Context context) {
      return context.getConfiguration().getInt("mapreduce.job.maps", 1);
    }
  }

  static class ListsInputs extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      return FileInputFormat.getInputPaths(context).length;
    }
  }

  static class ParsesXmlFile extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      try {
        return DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new File(line))
            .getChildNodes()
            .getLength();
      } catch (ParserConfigurationException | SAXException e) {
        throw new IOException(e);
      }
    }
  }

  // ---- time

  static class ReadsClock extends Step {
    @Override
    int step(String line, Context context) {
      return (int) System.currentTimeMillis();
    }
  }

  /** A static method by the name of a class that inherits it. */
  @SuppressWarnings("StaticQualifiedUsingExpression")
  static class SubclassesName extends Step {
    @Override
    int step(String line, Context context) {
      return GregorianCalendar.getInstance().hashCode();
    }
  }

  static class ParsesAddress extends Step {
    @Override
    int step(String line, Context context) throws IOException {
      return ImageIO.read(new URL(line)).getWidth();
    }
  }

  static class DefaultGenerator extends Step {
    @Override
    int step(String line, Context context) {
      return RandomGenerator.getDefault().nextInt();
    }
  }

  static class ReadsTags extends Step {
    @Override
    int step(String line, Context context) {
      return context.getConfiguration().get("mapreduce.job.tags", "").length();
    }
  }

  /** What a mapper may make by a name in its configuration. */
  interface Scorer {
    int score(String line);
  }

  static class ScoresByTime implements Scorer {
    @Override
    public int score(String line) {
      return (int) System.currentTimeMillis();
    }
  }

  static class AsksConfiguredScorer extends Step {
    @Override
    int step(String line, Context context) {
      Class<? extends Scorer> type =
          context.getConfiguration().getClass("scorer", null, Scorer.class);
      return ReflectionUtils.newInstance(type, context.getConfiguration()).score(line);
    }
  }

  static class ClockByMethodReference extends Step {
    @Override
    int step(String line, Context context) {
      Supplier<Instant> now = Instant::now;
      return now.get().getNano();
    }
  }

  static class NewDate extends Step {
    @Override
    int step(String line, Context context) {
      return new Date().hashCode();
    }
  }

  static class CalendarInstance extends Step {
    @Override
    int step(String line, Context context) {
      return Calendar.getInstance().get(Calendar.YEAR);
    }
  }

  static class ClockInInitializer extends Step {
    static final long START = System.nanoTime();

    @Override
    int step(String line, Context context) {
      return (int) START;
    }
  }

  static class ParsesDates extends Step {
    @Override
    int step(String line, Context context) {
      return LocalDate.parse(line).getYear()
          + new Date(Long.parseLong(line)).hashCode()
          + new GregorianCalendar(2020, 1, 1).get(Calendar.DAY_OF_WEEK);
    }
  }

  // ---- chance

  static class UnseededRandom extends Step {
    private final Random random = new Random();

    @Override
    int step(String line, Context context) {
      return random.nextInt();
    }
  }

  static class SeededRandom extends Step {
    private final Random random = new Random(17);

    @Override
    int step(String line, Context context) {
      return random.nextInt();
    }
  }

  static class RandomUuid extends Step {
    @Override
    int step(String line, Context context) {
      return UUID.randomUUID().hashCode() + UUID.fromString(line).hashCode();
    }
  }

  static class LocalRandom extends Step {
    @Override
    int step(String line, Context context) {
      return ThreadLocalRandom.current().nextInt();
    }
  }

  static class StartsThread extends Step {
    @Override
    int step(String line, Context context) {
      Thread worker = new Thread(() -> context.setStatus(line));
      worker.start();
      return 1;
    }
  }

  static class Shuffles extends Step {
    @Override
    int step(String line, Context context) {
      List<String> words = new ArrayList<>(List.of(line.split(" ")));
      Collections.shuffle(words);
      return words.get(0).length();
    }
  }

  static class ShufflesBySeed extends Step {
    @Override
    int step(String line, Context context) {
      List<String> words = new ArrayList<>(List.of(line.split(" ")));
      Collections.shuffle(words, new Random(1));
      return words.get(0).length();
    }
  }

  // ---- static state

  static class CountsInStatic extends Step {
    private static int count;

    @Override
    int step(String line, Context context) {
      return ++count;
    }
  }

  static class CachesInStaticMap extends Step {
    private static final Map<String, Integer> SEEN = new HashMap<>();

    @Override
    int step(String line, Context context) {
      return SEEN.merge(line, 1, Integer::sum);
    }
  }

  static class CachesInNestedList extends Step {
    private static final Map<String, List<String>> SEEN = new HashMap<>(Map.of("", List.of()));

    @Override
    int step(String line, Context context) {
      SEEN.get("").add(line);
      return SEEN.get("").size();
    }
  }

  static class CachesThroughHelper extends Step {
    private static final Map<String, Integer> SEEN = new HashMap<>();

    @Override
    int step(String line, Context context) {
      remember(SEEN, line);
      return SEEN.size();
    }

    private static void remember(Map<String, Integer> seen, String line) {
      seen.put(line, 1);
    }
  }

  static class CachesThroughField extends Step {
    private static final Set<String> SHARED = new HashSet<>();
    private Set<String> seen;

    @Override
    protected void setup(Context context) {
      seen = SHARED;
    }

    @Override
    int step(String line, Context context) {
      seen.add(line);
      return seen.size();
    }
  }

  static class CachesThroughLambda extends Step {
    private static final Set<String> SHARED = new HashSet<>();

    interface Remember {
      void in(Set<String> set);
    }

    @Override
    int step(String line, Context context) {
      with(set -> set.add(line));
      return SHARED.size();
    }

    private static void with(Remember remember) {
      remember.in(SHARED);
    }
  }

  static class ChangesValuesInForEach extends Step {
    private static final Map<String, List<String>> TABLE = Map.of("all", new ArrayList<>());

    @Override
    int step(String line, Context context) {
      TABLE.forEach((name, lines) -> lines.add(line));
      return TABLE.size();
    }
  }

  static class StaticThreadLocal extends Step {
    private static final ThreadLocal<Integer> LAST = new ThreadLocal<>();

    @Override
    int step(String line, Context context) {
      Integer before = LAST.get();
      LAST.set(line.length());
      return before == null ? 0 : before;
    }
  }

  static class SetsSystemProperty extends Step {
    @Override
    int step(String line, Context context) {
      System.setProperty("last.line", line);
      return 1;
    }
  }

  static class StaticAtomic extends Step {
    private static final AtomicLong NEXT = new AtomicLong();

    @Override
    int step(String line, Context context) {
      return (int) NEXT.incrementAndGet();
    }
  }

  static class StaticSeededRandom extends Step {
    private static final Random RANDOM = new Random(42);

    @Override
    int step(String line, Context context) {
      return RANDOM.nextInt(10);
    }
  }

  static class StaticArray extends Step {
    private static final int[] LENGTHS = new int[8];

    @Override
    int step(String line, Context context) {
      return LENGTHS[line.length() % 8]++;
    }
  }

  /** An object of the job's own with a field that changes. */
  static final class Tally {
    private int total;

    int add(int more) {
      total += more;
      return total;
    }
  }

  static class StaticOwnObject extends Step {
    private static final Tally TALLY = new Tally();

    @Override
    int step(String line, Context context) {
      return TALLY.add(line.length());
    }
  }

  static class InstanceOwnObject extends Step {
    private final Tally tally = new Tally();

    @Override
    int step(String line, Context context) {
      return tally.add(line.length());
    }
  }

  static class AccumulatesInStaticWritable extends Step {
    private static final LongWritable TOTAL = new LongWritable();

    @Override
    int step(String line, Context context) {
      TOTAL.set(TOTAL.get() + line.length());
      return (int) TOTAL.get();
    }
  }

  static class ReadsBackCounter extends Step {
    @Override
    int step(String line, Context context) {
      context.getCounter("lines", "seen").increment(1);
      return (int) context.getCounter("lines", "seen").getValue();
    }
  }

  static class ComparesWithStatic extends Step {
    private static final Text LAST = new Text();

    @Override
    int step(String line, Context context) {
      Text now = new Text(line);
      int differs = now.equals(LAST) ? 0 : 1;
      LAST.set(now);
      return differs;
    }
  }

  static class PrintsStatic extends Step {
    private static final Text LAST = new Text();

    @Override
    int step(String line, Context context) {
      String both = LAST + line;
      LAST.set(line);
      return both.length();
    }
  }

  static class SetsProperty extends Step {
    @Override
    int step(String line, Context context) {
      context.getConfiguration().setInt("longest.line", line.length());
      return 1;
    }
  }

  /** Constants, tables and reused writables, as most jobs have them. */
  static class HarmlessStatics extends Step {
    private static final Logger LOG = LoggerFactory.getLogger(HarmlessStatics.class);
    private static final IntWritable ONE = new IntWritable(1);
    private static final Text WORD = new Text();
    private static final DataOutputBuffer SINK = null;
    private static final Set<String> STOP_WORDS = new HashSet<>(Arrays.asList("a", "the"));
    private static final Map<String, List<Integer>> TABLE = table();
    private static final int[] POWERS = {1, 2, 4};
    private static final Pattern COMMA = Pattern.compile(",");
    private static final BiConsumer<Set<String>, String> ADD = (set, word) -> set.add(word);

    private static Map<String, List<Integer>> table() {
      Map<String, List<Integer>> table = new HashMap<>();
      table.computeIfAbsent("a", k -> new ArrayList<>()).add(1);
      return table;
    }

    private enum Quality {
      GOOD,
      BAD
    }

    @Override
    int step(String line, Context context) throws IOException, InterruptedException {
      LOG.debug("line {}", line);
      Set<String> own = new HashSet<>();
      for (String word : line.split(" ")) {
        if (!STOP_WORDS.contains(word)) {
          WORD.set(word);
          ADD.accept(own, word);
          ONE.write(SINK);
          context.write(WORD, ONE);
        }
      }
      int[] counts = new int[2];
      counts[0] += POWERS[1];
      int[] copy = POWERS.clone();
      copy[0] = counts[0];
      List<String> sorted = STOP_WORDS.stream().sorted().collect(Collectors.toList());
      sorted.add(line);
      String[] parts = COMMA.split(line);
      parts[0] = sorted.get(copy[0] % sorted.size());
      own.addAll(Arrays.asList(parts));
      switch (own.isEmpty() ? Quality.BAD : Quality.GOOD) {
        case GOOD -> context.getCounter(Quality.GOOD).increment(1);
        case BAD -> context.getCounter(Quality.BAD).increment(1);
      }
      for (int value : TABLE.getOrDefault(line, List.of())) {
        counts[1] += value;
      }
      return counts[1];
    }
  }

  // ---- unreadable

  static class CallsNative extends Step {
    private static native int length(String line);

    @Override
    int step(String line, Context context) {
      return length(line);
    }
  }

  /** Needs a class that the test's loader hides. */
  static class NeedsMissing extends Step {
    @Override
    int step(String line, Context context) {
      return Missing.length(line);
    }
  }

  static final class Missing {
    private Missing() {}

    static int length(String line) {
      return line.length();
    }
  }

  /** Mentions the hidden class only where nothing leads to. */
  static class NeverNeedsMissing extends Step {
    @Override
    int step(String line, Context context) {
      return 1;
    }

    static int unused(String line) {
      return Missing.length(line);
    }
  }
}
