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
package org.freshet.it.differential;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.SortedMap;
import java.util.TreeMap;
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
record JobOutcome(
    boolean succeeded, String failure, String detail, SortedMap<String, Long> counters) {

  static JobOutcome of(boolean succeeded, Counters counters) {
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

  static JobOutcome refused(Throwable failure) {
    return new JobOutcome(
        false, failure.getClass().getName(), stackTrace(failure), new TreeMap<>());
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /** How the job ended, in words. */
  String end() {
    return succeeded ? "succeeded" : failure.isEmpty() ? "failed" : "threw " + detail;
  }

  /** Whether it was accepted and then failed, which no job of the generator may do on stock. */
  boolean failedInUserCode() {
    return !succeeded
        && !failure.endsWith(".FileAlreadyExistsException")
        && !failure.endsWith(".InvalidInputException");
  }

  long counter(String group, String name) {
    return counters.getOrDefault(group + "/" + name, 0L);
  }

  /** The counters that must be the stock job's: the user's own, and those that count records. */
  SortedMap<String, Long> comparable(RandomJob job) {
    SortedMap<String, Long> compared = new TreeMap<>();
    counters.forEach(
        (name, value) -> {
          if (value != 0 && isCompared(name, job)) {
            compared.put(name, value);
          }
        });
    return compared;
  }

  private static boolean isCompared(String name, RandomJob job) {
    String group = name.substring(0, name.lastIndexOf('/'));
    return switch (name) {
      case "org.apache.hadoop.mapreduce.TaskCounter/MAP_INPUT_RECORDS",
          "org.apache.hadoop.mapreduce.TaskCounter/REDUCE_INPUT_GROUPS",
          "org.apache.hadoop.mapreduce.TaskCounter/REDUCE_OUTPUT_RECORDS" ->
          true;
      case "org.apache.hadoop.mapreduce.TaskCounter/MAP_OUTPUT_RECORDS" ->
          !job.map().outputDependsOnSplits();
      default ->
          group.endsWith(".MultipleOutputs")
              || !(group.startsWith("org.apache.hadoop.")
                  || group.startsWith("Freshet")
                  || group.equals("Shuffle Errors")
                  || group.equals("File System Counters"));
    };
  }
}
