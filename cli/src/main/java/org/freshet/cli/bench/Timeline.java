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
package org.freshet.cli.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What an application that counts views while the cluster changes has printed. Times are in seconds
 * since its first batch was due.
 *
 * @param startMs when that was, in milliseconds since 1970
 * @param windowMs how long a window is, in milliseconds; the first one began in 1970
 * @param batches in the order in which they were due
 * @param change when the cluster began to change, if it did
 * @param changed when it had changed
 * @param executors those that were registered after that
 * @param views how many there were
 * @param lost how many of these were not counted
 * @param excess how many were counted beyond these
 */
record Timeline(
    long startMs,
    long windowMs,
    List<Batch> batches,
    OptionalDouble change,
    OptionalDouble changed,
    List<Executor> executors,
    long views,
    long lost,
    long excess) {

  /** First fields of its lines. */
  static final Set<String> KINDS = Set.of("start", "batch", "change", "executor", "counts");

  Timeline {
    batches = List.copyOf(batches);
    executors = List.copyOf(executors);
  }

  /**
   * A batch.
   *
   * @param due when all of its events had happened
   * @param latencyMs how much later they were counted, in milliseconds
   * @param groupSize how many batches may have been under way at once then; empty on stock Spark
   * @param lost the share of the executors' time that was lost then, from 0 to 1; empty on stock
   * @param waitedMs how much later than due it began, in milliseconds
   */
  record Batch(
      double due,
      double latencyMs,
      OptionalDouble groupSize,
      OptionalDouble lost,
      double waitedMs) {
    double began() {
      return due + waitedMs / 1000;
    }

    double ended() {
      return due + latencyMs / 1000;
    }
  }

  /** When an executor was registered, and when its first task began, if one did. */
  record Executor(double added, OptionalDouble firstTask) {}

  /**
   * Reads what was printed.
   *
   * @throws IOException if parts of it are missing
   */
  static Timeline of(List<String[]> lines) throws IOException {
    List<Batch> batches = new ArrayList<>();
    List<Executor> executors = new ArrayList<>();
    OptionalDouble change = OptionalDouble.empty();
    OptionalDouble changed = OptionalDouble.empty();
    String[] start = {};
    String[] counts = {};
    for (String[] line : lines) {
      switch (line[0]) {
        case "start" -> start = line;
        case "batch" ->
            batches.add(
                new Batch(
                    seconds(line[1]),
                    Double.parseDouble(line[2]),
                    number(line, 3),
                    number(line, 4),
                    Double.parseDouble(line[5])));
        case "change" -> {
          change = OptionalDouble.of(seconds(line[1]));
          changed = OptionalDouble.of(seconds(line[2]));
        }
        case "executor" ->
            executors.add(
                new Executor(
                    seconds(line[1]),
                    line.length > 2
                        ? OptionalDouble.of(seconds(line[2]))
                        : OptionalDouble.empty()));
        case "counts" -> counts = line;
        default -> throw new IllegalArgumentException("unknown line: " + String.join(" ", line));
      }
    }
    if (start.length == 0 || counts.length == 0 || batches.isEmpty()) {
      throw new IOException("The application has not printed what it measured");
    }
    return new Timeline(
        Long.parseLong(start[1]),
        Long.parseLong(start[2]),
        batches,
        change,
        changed,
        executors,
        Long.parseLong(counts[1]),
        Long.parseLong(counts[3]),
        Long.parseLong(counts[4]));
  }

  /** How long was measured, in seconds. */
  double length() {
    return batches.get(batches.size() - 1).due();
  }

  /** Latencies of batches that were due in a part of the time, in milliseconds. */
  List<Double> latencies(double from, double to) {
    return batches.stream()
        .filter(batch -> batch.due() >= from && batch.due() < to)
        .map(Batch::latencyMs)
        .toList();
  }

  /** How many batches had begun at a time, and not ended. */
  int underWay(double at) {
    return (int)
        batches.stream().filter(batch -> batch.began() <= at && batch.ended() > at).count();
  }

  /** Whether nobody can know all of a window's counts before a batch has ended, but then. */
  boolean completesWindow(Batch batch) {
    return (startMs + Math.round(batch.due() * 1000)) % windowMs == 0;
  }

  private static double seconds(String ms) {
    return Long.parseLong(ms) / 1000.0;
  }

  /** A field that is empty on stock Spark. */
  private static OptionalDouble number(String[] line, int field) {
    return line.length > field && !line[field].isEmpty()
        ? OptionalDouble.of(Double.parseDouble(line[field]))
        : OptionalDouble.empty();
  }
}
