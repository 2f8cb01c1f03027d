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
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.lib.MultipleOutputs;

/** Reducers and combiners of the old API; {@link NewReducers} has the same ones for the new API. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class OldReducers {
  private OldReducers() {}

  /** Keys and values of any type: each job of the tests chooses its own. */
  private abstract static class AnyReducer
      implements Reducer<WritableComparable<?>, Writable, Writable, Writable> {
    protected JobConf job;

    @Override
    public void configure(JobConf configuration) {
      job = configuration;
    }

    @Override
    public void close() throws IOException {}
  }

  /** The sum of integers of any numeric type. Also a combiner. */
  public static class Sum extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      long sum = 0;
      Writable last = null;
      while (values.hasNext()) {
        Writable value = values.next();
        sum += Values.number(value);
        last = value;
      }
      out.collect(key, Values.number(last, sum));
    }
  }

  /** The largest value. Also a combiner. */
  public static class Max extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      WritableComparable largest = null;
      while (values.hasNext()) {
        Writable value = values.next();
        if (largest == null || ((Comparable) value).compareTo(largest) > 0) {
          largest = (WritableComparable) Values.copy(value, job);
        }
      }
      out.collect(key, largest);
    }
  }

  /** Each distinct value once, in order. A combiner that may write several pairs for a key. */
  public static class DistinctValues extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      TreeSet<WritableComparable> distinct = new TreeSet<>();
      while (values.hasNext()) {
        Writable value = values.next();
        if (!distinct.contains(value)) {
          distinct.add((WritableComparable) Values.copy(value, job));
        }
      }
      for (WritableComparable value : distinct) {
        out.collect(key, value);
      }
    }
  }

  /** The number of values, with user counters. */
  public static class Count extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      long count = 0;
      for (; values.hasNext(); values.next()) {
        reporter.incrCounter("it.reduce", "values", 1);
        count++;
      }
      reporter.incrCounter("it.reduce", count % 2 == 0 ? "even groups" : "odd groups", 1);
      out.collect(key, new LongWritable(count));
    }
  }

  /** The set of values as one sorted line. */
  public static class DistinctSet extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      TreeSet<String> distinct = new TreeSet<>();
      while (values.hasNext()) {
        Writable value = values.next();
        distinct.add(Values.show(value));
      }
      out.collect(key, new Text(Values.show(distinct)));
    }
  }

  /** All values as one sorted line. */
  public static class SortedList extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      List<String> all = new ArrayList<>();
      while (values.hasNext()) {
        Writable value = values.next();
        all.add(Values.show(value));
      }
      Collections.sort(all);
      out.collect(key, new Text(Values.show(all)));
    }
  }

  /** The sum behind a text taken from the job's configuration. */
  public static class SaltedSum extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      long sum = 0;
      while (values.hasNext()) {
        Writable value = values.next();
        sum += Values.number(value);
      }
      out.collect(key, new Text(job.get("it.salt", "unset") + sum));
    }
  }

  /** The sum under the key in lower case, for comparators that ignore case. */
  public static class LowerCaseSum extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      long sum = 0;
      Writable last = null;
      while (values.hasNext()) {
        Writable value = values.next();
        sum += Values.number(value);
        last = value;
      }
      out.collect(new Text(key.toString().toLowerCase(Locale.ROOT)), Values.number(last, sum));
    }
  }

  /** A word's first number and the sum of all its values: in the old API the key stays put. */
  public static class Secondary extends AnyReducer {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      WordPair pair = (WordPair) key;
      String first = pair.word() + " " + pair.number();
      long sum = 0;
      while (values.hasNext()) {
        sum += Values.number(values.next());
      }
      out.collect(new Text(first), new Text(Long.toString(sum)));
    }
  }

  /** Sums between a first line, written with the first group, and a last one written on close. */
  public static class FramedSum extends AnyReducer {
    private OutputCollector<Writable, Writable> last;
    private long groups;

    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      if (last == null) {
        out.collect(new Text("begin"), new Text(job.get("it.salt", "unset")));
      }
      last = out;
      long sum = 0;
      while (values.hasNext()) {
        sum += Values.number(values.next());
      }
      groups++;
      out.collect(new Text(key.toString()), new Text(Long.toString(sum)));
    }

    @Override
    public void close() throws IOException {
      if (last != null) {
        last.collect(new Text("end"), new Text(Long.toString(groups)));
      }
    }
  }

  /** The five keys with the largest sums, written on close. */
  public static class Top extends AnyReducer {
    private final Map<String, Long> sums = new TreeMap<>();
    private OutputCollector<Writable, Writable> last;

    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter) {
      long sum = 0;
      while (values.hasNext()) {
        sum += Values.number(values.next());
      }
      sums.put(key.toString(), sum);
      last = out;
    }

    @Override
    public void close() throws IOException {
      List<Map.Entry<String, Long>> order = new ArrayList<>(sums.entrySet());
      order.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
      for (Map.Entry<String, Long> e : order.subList(0, Math.min(5, order.size()))) {
        last.collect(new Text(e.getKey()), new LongWritable(e.getValue()));
      }
    }
  }

  /** Sums to the job's output and to a named output. */
  public static class MultipleSum extends AnyReducer {
    private MultipleOutputs outputs;

    @Override
    public void configure(JobConf configuration) {
      super.configure(configuration);
      outputs = new MultipleOutputs(configuration);
    }

    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<Writable> values,
        OutputCollector<Writable, Writable> out,
        Reporter reporter)
        throws IOException {
      long sum = 0;
      Writable last = null;
      while (values.hasNext()) {
        last = values.next();
        sum += Values.number(last);
      }
      Writable result = Values.number(last, sum);
      if ((sum & 1) == 0) {
        outputs.getCollector("named", reporter).collect(key, result);
      } else {
        out.collect(key, result);
      }
    }

    @Override
    public void close() throws IOException {
      outputs.close();
    }
  }
}
