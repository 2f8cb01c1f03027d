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
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;

/** Reducers and combiners of the new API; {@link OldReducers} has the same ones for the old API. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class NewReducers {
  private NewReducers() {}

  /** Keys and values of any type: each job of the tests chooses its own. */
  private abstract static class AnyReducer
      extends Reducer<WritableComparable<?>, Writable, Writable, Writable> {}

  /** The sum of integers of any numeric type. Also a combiner. */
  public static class Sum extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      Writable last = null;
      for (Writable value : values) {
        sum += Values.number(value);
        last = value;
      }
      context.write(key, Values.number(last, sum));
    }
  }

  /** The largest value. Also a combiner. */
  public static class Max extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      WritableComparable largest = null;
      for (Writable value : values) {
        if (largest == null || ((Comparable) value).compareTo(largest) > 0) {
          largest = (WritableComparable) Values.copy(value, context.getConfiguration());
        }
      }
      context.write(key, largest);
    }
  }

  /** Each distinct value once, in order. A combiner that may write several pairs for a key. */
  public static class DistinctValues extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      TreeSet<WritableComparable> distinct = new TreeSet<>();
      for (Writable value : values) {
        if (!distinct.contains(value)) {
          distinct.add((WritableComparable) Values.copy(value, context.getConfiguration()));
        }
      }
      for (WritableComparable value : distinct) {
        context.write(key, value);
      }
    }
  }

  /** The number of values, with user counters. */
  public static class Count extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long count = 0;
      for (Writable unused : values) {
        context.getCounter("it.reduce", "values").increment(1);
        count++;
      }
      context.getCounter("it.reduce", count % 2 == 0 ? "even groups" : "odd groups").increment(1);
      context.write(key, new LongWritable(count));
    }
  }

  /** The set of values as one sorted line. */
  public static class DistinctSet extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      TreeSet<String> distinct = new TreeSet<>();
      for (Writable value : values) {
        distinct.add(Values.show(value));
      }
      context.write(key, new Text(Values.show(distinct)));
    }
  }

  /** All values as one sorted line. */
  public static class SortedList extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      List<String> all = new ArrayList<>();
      for (Writable value : values) {
        all.add(Values.show(value));
      }
      Collections.sort(all);
      context.write(key, new Text(Values.show(all)));
    }
  }

  /** The sum behind a text taken from the job's configuration. */
  public static class SaltedSum extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (Writable value : values) {
        sum += Values.number(value);
      }
      context.write(key, new Text(context.getConfiguration().get("it.salt", "unset") + sum));
    }
  }

  /** The sum under the key in lower case, for comparators that ignore case. */
  public static class LowerCaseSum extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      Writable last = null;
      for (Writable value : values) {
        sum += Values.number(value);
        last = value;
      }
      context.write(new Text(key.toString().toLowerCase(Locale.ROOT)), Values.number(last, sum));
    }
  }

  /**
   * The numbers of a word in the order in which they come, each with the sum of its values. The
   * grouping comparator lets the key change while the values pass.
   */
  public static class Secondary extends AnyReducer {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      WordPair pair = (WordPair) key;
      String word = pair.word().toString();
      StringBuilder line = new StringBuilder();
      int number = pair.number();
      long sum = 0;
      for (Writable value : values) {
        if (pair.number() != number) {
          line.append(number).append('=').append(sum).append(' ');
          number = pair.number();
          sum = 0;
        }
        sum += Values.number(value);
      }
      line.append(number).append('=').append(sum);
      context.write(new Text(word), new Text(line.toString()));
    }
  }

  /** Sums between a first line written in setup and a last one written in cleanup. */
  public static class FramedSum extends AnyReducer {
    private long groups;

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      context.write(
          new Text("begin"), new Text(context.getConfiguration().get("it.salt", "unset")));
    }

    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (Writable value : values) {
        sum += Values.number(value);
      }
      groups++;
      context.write(new Text(key.toString()), new Text(Long.toString(sum)));
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      context.write(new Text("end"), new Text(Long.toString(groups)));
    }
  }

  /** The five keys with the largest sums, written in cleanup. */
  public static class Top extends AnyReducer {
    private final Map<String, Long> sums = new TreeMap<>();

    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context) {
      long sum = 0;
      for (Writable value : values) {
        sum += Values.number(value);
      }
      sums.put(key.toString(), sum);
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      List<Map.Entry<String, Long>> order = new ArrayList<>(sums.entrySet());
      order.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
      for (Map.Entry<String, Long> e : order.subList(0, Math.min(5, order.size()))) {
        context.write(new Text(e.getKey()), new LongWritable(e.getValue()));
      }
    }
  }

  /** Sums to the job's output, to a named output and to files below a folder. */
  public static class MultipleSum extends AnyReducer {
    private MultipleOutputs<Writable, Writable> outputs;

    @Override
    protected void setup(Context context) {
      outputs = new MultipleOutputs<>(context);
    }

    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      Writable last = null;
      for (Writable value : values) {
        sum += Values.number(value);
        last = value;
      }
      Writable result = Values.number(last, sum);
      switch ((int) (sum & 3)) {
        case 0 -> outputs.write("named", key, result);
        case 1 -> outputs.write(key, result, "folder/file");
        default -> context.write(key, result);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      outputs.close();
    }
  }
}
