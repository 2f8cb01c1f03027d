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

import java.util.List;
import org.freshet.cli.bench.Timeline.Batch;

/**
 * How the latency of batches left its usual values when the cluster changed, and came back.
 *
 * <p>Usual is what 99 of 100 batches did not exceed in the last three quarters of the time before.
 * Latency is back when it has been usual for {@value #IN_A_ROW} batches in a row, the new
 * executors' first tasks not being after the first of these: what these do to latency is part of
 * the disturbance. It ended with the last late batch before them.
 *
 * @param medianMs of the batches before, in milliseconds
 * @param usualMs the greatest latency that is usual, in milliseconds
 * @param worstMs the greatest latency afterwards, in milliseconds
 * @param meanMs of all batches afterwards, in milliseconds
 * @param seconds from when it had changed to the end of the last batch that was late; 0 if none
 *     was; if latency has not come back, to the end of the last batch that was measured
 * @param hasEnded whether latency has come back
 * @param lateBatches how many batches were late meanwhile
 * @param lateWindows how many windows were counted late meanwhile
 */
record Disturbance(
    double medianMs,
    double usualMs,
    double worstMs,
    double meanMs,
    double seconds,
    boolean hasEnded,
    int lateBatches,
    int lateWindows) {
  static final int IN_A_ROW = 10;

  /**
   * Finds it.
   *
   * @throws IllegalArgumentException if the cluster did not change, or there are no batches before
   *     or after that
   */
  static Disturbance of(Timeline timeline) {
    double change =
        timeline
            .change()
            .orElseThrow(() -> new IllegalArgumentException("the cluster has not changed"));
    double changed = timeline.changed().orElse(change);
    List<Double> before =
        timeline.batches().stream()
            .filter(batch -> batch.due() >= change / 4 && batch.ended() <= change)
            .map(Batch::latencyMs)
            .sorted()
            .toList();
    List<Batch> after =
        timeline.batches().stream().filter(batch -> batch.ended() > change).toList();
    if (before.isEmpty() || after.isEmpty()) {
      throw new IllegalArgumentException(
          "no batch that was due shortly before the cluster changed ended before that: the machine"
              + " does not keep up; let nothing else run on it");
    }
    double usual = before.get(Math.min(before.size() - 1, before.size() * 99 / 100));
    double complete =
        timeline.executors().stream()
            .mapToDouble(executor -> executor.firstTask().orElse(executor.added()))
            .max()
            .orElse(changed);
    int back = firstInARow(after, usual, complete);
    boolean hasEnded = back >= 0;
    List<Batch> meanwhile = hasEnded ? after.subList(0, back) : after;
    List<Batch> late = meanwhile.stream().filter(batch -> batch.latencyMs() > usual).toList();
    return new Disturbance(
        Samples.of(before, value -> value).median(),
        usual,
        after.stream().mapToDouble(Batch::latencyMs).max().orElseThrow(),
        after.stream().mapToDouble(Batch::latencyMs).average().orElseThrow(),
        late.isEmpty() ? 0 : Math.max(0, (hasEnded ? last(late) : last(after)).ended() - changed),
        hasEnded,
        late.size(),
        (int) late.stream().filter(timeline::completesWindow).count());
  }

  private static Batch last(List<Batch> batches) {
    return batches.get(batches.size() - 1);
  }

  /** The first batch that ended since a time from which on so many were not late, or -1. */
  private static int firstInARow(List<Batch> batches, double usualMs, double since) {
    int inTime = 0;
    for (int i = 0; i < batches.size(); i++) {
      Batch batch = batches.get(i);
      inTime = batch.ended() > since && batch.latencyMs() <= usualMs ? inTime + 1 : 0;
      if (inTime == IN_A_ROW) {
        return i + 1 - IN_A_ROW;
      }
    }
    return -1;
  }
}
