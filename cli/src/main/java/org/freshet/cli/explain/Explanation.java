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
package org.freshet.cli.explain;

import java.util.List;
import java.util.Map;
import org.freshet.mapreduce.report.JobReport;

/**
 * All that is known of how one job was run. A value; also the JSON of {@code freshet explain
 * --json}.
 *
 * @param report what was decided when the job was submitted
 * @param store the memo store
 * @param advice what to do about a fallback; empty where there was none
 * @param previousJobId the job whose results were reused, or null if there was none or it is not
 *     known any more
 * @param before why a first run was one; null if the run had a previous one, or no job before is
 *     known
 * @param reduces what became of the reduces; null for a job that ran as stock
 */
public record Explanation(
    JobReport report,
    String store,
    String advice,
    String previousJobId,
    JobBefore before,
    Reduces reduces) {

  /**
   * The job that one might have expected to share results with.
   *
   * @param jobId its id
   * @param submittedMillis when it was planned
   * @param sameOutput whether it wrote to the same directory; if not, it had the same name
   * @param stock whether it ran as stock, so that it left no results
   * @param sameLineage whether it was the same job, so that only its results were missing
   * @param changes what makes this job another one; empty if it is the same or that is not known
   * @param changesKnown whether the store still says what both jobs were
   */
  public record JobBefore(
      String jobId,
      long submittedMillis,
      boolean sameOutput,
      boolean stock,
      boolean sameLineage,
      List<LineageChange> changes,
      boolean changesKnown) {}

  /**
   * What became of a job's reduces.
   *
   * @param results whether the store has the run's results, without which nothing else is known
   * @param partitions by outcome, in order of partition; empty without results
   * @param combined tree nodes that the reduces combined
   * @param reused memoized runs that they read
   * @param cutOff nodes that they did not have to combine, because an equal one was memoized
   * @param recomputed memoized runs that were lost and made again
   */
  public record Reduces(
      Results results,
      Map<ReduceOutcome, List<Integer>> partitions,
      int combined,
      int reused,
      int cutOff,
      int recomputed) {

    static Reduces without(Results results) {
      return new Reduces(results, Map.of(), 0, 0, 0, 0);
    }
  }

  /** Whether a run's results are in the store. */
  public enum Results {
    /** They can be read. */
    PRESENT,
    /** The run holds its lease still. */
    UNDER_WAY,
    /** A later run was planned with them, and they were removed since. */
    COLLECTED,
    /** The run did not end well, or its results were removed. */
    ABSENT
  }
}
