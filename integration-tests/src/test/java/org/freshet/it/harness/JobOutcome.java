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
package org.freshet.it.harness;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/**
 * What the submitter of a job sees when it is over.
 *
 * @param succeeded whether the job succeeded
 * @param failure the class of the exception that the submission threw; empty where it threw none
 * @param detail the exception with its stack trace, for the reader of a mismatch
 * @param counters every counter as {@code group/name}
 */
public record JobOutcome(
    boolean succeeded, String failure, String detail, SortedMap<String, Long> counters) {

  /** A job that ran to its end; {@code counters} may be null. */
  public static JobOutcome of(boolean succeeded, Counters counters) {
    SortedMap<String, Long> all = new TreeMap<>();
    if (counters != null) {
      for (CounterGroup group : counters) {
        for (Counter counter : group) {
          all.put(group.getName() + "/" + counter.getName(), counter.getValue());
        }
      }
    }
    return new JobOutcome(succeeded, "", "", all);
  }

  /** A submission that threw. */
  public static JobOutcome refused(Throwable failure) {
    return new JobOutcome(
        false, failure.getClass().getName(), stackTrace(failure), new TreeMap<>());
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /** How the compared counters of {@code actual} differ from this outcome's; empty: not at all. */
  public Optional<String> difference(JobOutcome actual, boolean mapOutputs) {
    SortedMap<String, Long> expected = comparable(mapOutputs);
    SortedMap<String, Long> found = actual.comparable(mapOutputs);
    TreeSet<String> names = new TreeSet<>(expected.keySet());
    names.addAll(found.keySet());
    for (String name : names) {
      long a = expected.getOrDefault(name, 0L);
      long b = found.getOrDefault(name, 0L);
      if (a != b) {
        return Optional.of("counter %s: stock %d, candidate %d".formatted(name, a, b));
      }
    }
    return Optional.empty();
  }

  /** How the job ended, in words. */
  public String end() {
    return succeeded ? "succeeded" : failure.isEmpty() ? "failed" : "threw " + detail;
  }

  /** Whether it was accepted and then failed, which no job of the generator may do on stock. */
  public boolean failedInUserCode() {
    return !succeeded
        && !failure.endsWith(".FileAlreadyExistsException")
        && !failure.endsWith(".InvalidInputException");
  }

  /** The counter's value, 0 where there is none. */
  public long counter(String group, String name) {
    return counters.getOrDefault(group + "/" + name, 0L);
  }

  /**
   * The counters that must be the stock job's: the user's own, and those that count records.
   *
   * @param mapOutputs whether the number of map outputs is among them; it is not where the mapper
   *     writes what depends on how the input is split
   */
  private SortedMap<String, Long> comparable(boolean mapOutputs) {
    SortedMap<String, Long> compared = new TreeMap<>();
    counters.forEach(
        (name, value) -> {
          if (value != 0 && isCompared(name, mapOutputs)) {
            compared.put(name, value);
          }
        });
    return compared;
  }

  private static boolean isCompared(String name, boolean mapOutputs) {
    String group = name.substring(0, name.lastIndexOf('/'));
    return switch (name) {
      case "org.apache.hadoop.mapreduce.TaskCounter/MAP_INPUT_RECORDS",
          "org.apache.hadoop.mapreduce.TaskCounter/REDUCE_INPUT_GROUPS",
          "org.apache.hadoop.mapreduce.TaskCounter/REDUCE_OUTPUT_RECORDS" ->
          true;
      case "org.apache.hadoop.mapreduce.TaskCounter/MAP_OUTPUT_RECORDS" -> mapOutputs;
      default ->
          group.endsWith(".MultipleOutputs")
              || !(group.startsWith("org.apache.hadoop.")
                  || group.startsWith("Freshet")
                  || group.equals("Shuffle Errors")
                  || group.equals("File System Counters"));
    };
  }
}
