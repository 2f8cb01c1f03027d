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
package org.freshet.mapreduce;

import java.util.List;

/** Names of the counters that Freshet adds to a job's own. */
public final class FreshetCounters {
  public static final String GROUP = "Freshet";

  /** One counter of value 1, named for the {@link FallbackReason}. */
  public static final String FALLBACK_GROUP = "Freshet fallback";

  /** Chunks (leaves) of the input. */
  public static final String CHUNKS_TOTAL = "CHUNKS_TOTAL";

  /** Chunks whose map output came from the store. */
  public static final String CHUNKS_KEPT = "CHUNKS_KEPT";

  /** Chunks that were mapped by this job. */
  public static final String CHUNKS_ADDED = "CHUNKS_ADDED";

  /** Chunks of the previous run that the input no longer has. */
  public static final String CHUNKS_REMOVED = "CHUNKS_REMOVED";

  /** Input bytes mapped by this job. */
  public static final String BYTES_MAPPED = "BYTES_MAPPED";

  /** Input bytes whose map output was reused. */
  public static final String BYTES_REUSED = "BYTES_REUSED";

  /** Input bytes the client read to chunk and digest them. */
  public static final String BYTES_DIGESTED = "BYTES_DIGESTED";

  /** Tree nodes that were combined, over all partitions. */
  public static final String NODES_COMBINED = "NODES_COMBINED";

  /** Memoized runs (nodes and leaves) that were taken from the store, over all partitions. */
  public static final String NODES_REUSED = "NODES_REUSED";

  /** Nodes whose new content equalled memoized content, so that nothing was combined. */
  public static final String NODES_CUT_OFF = "NODES_CUT_OFF";

  /** Reduces whose previous output was copied. */
  public static final String REDUCES_REUSED = "REDUCES_REUSED";

  /** Memoized runs that were missing or damaged and were computed again. */
  public static final String RUNS_RECOMPUTED = "RUNS_RECOMPUTED";

  /** Tasks that could not write to the store. */
  public static final String STORE_WRITE_FAILURES = "STORE_WRITE_FAILURES";

  /**
   * A counter of {@link #GROUP} and what it counts, for the reference page.
   *
   * @param name as in a job's counters
   * @param description one sentence for users
   */
  public record Counter(String name, String description) {}

  /** All counters of {@link #GROUP}, in the order of the reference page. */
  public static final List<Counter> ALL =
      List.of(
          new Counter(CHUNKS_TOTAL, "Chunks (leaves) of the input."),
          new Counter(CHUNKS_KEPT, "Chunks whose map output came from the store."),
          new Counter(CHUNKS_ADDED, "Chunks that were mapped by this job."),
          new Counter(CHUNKS_REMOVED, "Chunks of the previous run that the input no longer has."),
          new Counter(BYTES_MAPPED, "Input bytes mapped by this job."),
          new Counter(BYTES_REUSED, "Input bytes whose map output was reused."),
          new Counter(BYTES_DIGESTED, "Input bytes the client read to chunk and digest them."),
          new Counter(NODES_COMBINED, "Tree nodes that were combined, over all partitions."),
          new Counter(
              NODES_REUSED,
              "Memoized runs (nodes and leaves) that were taken from the store, over all partitions."),
          new Counter(
              NODES_CUT_OFF,
              "Nodes whose new content equalled memoized content, so that nothing was combined."),
          new Counter(REDUCES_REUSED, "Reduces whose previous output was copied."),
          new Counter(
              RUNS_RECOMPUTED,
              "Memoized runs that were missing or damaged and were computed again."),
          new Counter(STORE_WRITE_FAILURES, "Tasks that could not write to the store."));

  private FreshetCounters() {}
}
