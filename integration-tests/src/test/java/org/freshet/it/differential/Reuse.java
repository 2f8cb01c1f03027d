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

import java.util.Map;
import java.util.TreeMap;
import org.freshet.it.harness.JobOutcome;

/** Adds up over all cases what Freshet reused and why it fell back. Thread-safe. */
final class Reuse {
  private final Map<String, Long> counters = new TreeMap<>();
  private final Map<String, Long> unused = new TreeMap<>();
  private final Map<String, Long> recomputed = new TreeMap<>();
  private long runs;
  private long eligible;
  private long kept;

  /** Adds a run; {@code expected} says whether its chunks should have been kept. */
  synchronized void add(JobOutcome outcome, boolean expected, String description) {
    runs++;
    outcome
        .counters()
        .forEach(
            (name, value) -> {
              if (name.startsWith("Freshet")) {
                counters.merge(name, value, Long::sum);
              }
            });
    if (outcome.counter("Freshet", "RUNS_RECOMPUTED") > 0) {
      recomputed.merge(description, outcome.counter("Freshet", "RUNS_RECOMPUTED"), Long::sum);
    }
    if (expected) {
      eligible++;
      if (outcome.counter("Freshet", "CHUNKS_KEPT") > 0) {
        kept++;
      } else {
        unused.merge(description, 1L, Long::sum);
      }
    }
  }

  /** The part of the eligible runs that kept chunks, 0 to 1; 1 where none was eligible. */
  synchronized double keptFraction() {
    return eligible == 0 ? 1 : (double) kept / eligible;
  }

  /** The sum of a counter of Freshet's over all runs. */
  synchronized long total(String counter) {
    return counters.getOrDefault("Freshet/" + counter, 0L);
  }

  @Override
  public synchronized String toString() {
    StringBuilder text = new StringBuilder();
    text.append("%d runs, %d of %d eligible ones kept chunks%n".formatted(runs, kept, eligible));
    counters.forEach((name, value) -> text.append("  %-60s %,d%n".formatted(name, value)));
    append(text, "eligible, but nothing kept", unused);
    append(text, "memoized runs were missing", recomputed);
    return text.toString();
  }

  private static void append(StringBuilder text, String title, Map<String, Long> cases) {
    if (!cases.isEmpty()) {
      text.append("  %s:%n".formatted(title));
      cases.forEach((what, times) -> text.append("    %4d  %s%n".formatted(times, what)));
    }
  }
}
