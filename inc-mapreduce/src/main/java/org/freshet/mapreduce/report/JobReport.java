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
package org.freshet.mapreduce.report;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.plan.FileChange;
import org.freshet.mapreduce.submit.PreparedJob;
import org.freshet.memo.CounterSet;

/**
 * What was decided about one job and why: the source of {@code freshet explain}. Immutable; written
 * as JSON. A report that an earlier version wrote lacks what was added since: lists and maps are
 * then empty, texts empty.
 *
 * @param jobId the job's id
 * @param output its output directory, or null
 * @param submittedMillis when it was planned
 * @param decision INCREMENTAL, UNCHANGED or STOCK
 * @param fallback name of the {@link FallbackReason} of a job that ran as stock, else empty
 * @param reason why a job ran as stock, or why one whose input is unchanged was launched all the
 *     same; else empty
 * @param lineage id of its lineage, or null where that is unknown
 * @param runId its run within the lineage
 * @param previousRunId the run it was compared with, or null for a first run
 * @param naming how its leaves are named
 * @param namingReason why
 * @param reduceHazard why its reduces run whatever their input, else empty
 * @param counters Freshet's counters known when it was planned
 * @param fileTotals how many input files there are, by what became of them
 * @param files what became of its input files, the changed ones first; not more than {@value
 *     #LISTED}
 * @param wholeFiles how many input files are not cut into chunks, by why; files that the naming
 *     forbids to cut are not among them
 * @param planningMillis time spent planning, chunking included
 */
public record JobReport(
    String jobId,
    String jobName,
    String output,
    long submittedMillis,
    Decision decision,
    String fallback,
    String reason,
    String lineage,
    String runId,
    String previousRunId,
    String naming,
    String namingReason,
    String reduceHazard,
    Map<String, Long> counters,
    Map<FileChange.Change, Integer> fileTotals,
    List<FileChange> files,
    Map<String, Integer> wholeFiles,
    long planningMillis) {

  /** More files than this are told by their number alone. */
  public static final int LISTED = 1000;

  /** Files that cost something before those that did not. */
  private static final Comparator<FileChange> CHANGED_FIRST =
      Comparator.comparing(
              (FileChange file) ->
                  file.change() == FileChange.Change.UNCHANGED && file.mapped() == 0)
          .thenComparing(FileChange::change)
          .thenComparing(FileChange::mapped, Comparator.reverseOrder())
          .thenComparing(FileChange::path);

  /** How a job was run. */
  public enum Decision {
    INCREMENTAL,
    UNCHANGED,
    STOCK
  }

  /** Puts empty values in the place of what an earlier version did not write, and copies lists. */
  public JobReport {
    jobName = jobName == null ? "" : jobName;
    fallback = fallback == null ? "" : fallback;
    reason = reason == null ? "" : reason;
    reduceHazard = reduceHazard == null ? "" : reduceHazard;
    counters = counters == null ? Map.of() : new TreeMap<>(counters);
    fileTotals = fileTotals == null ? Map.of() : new TreeMap<>(fileTotals);
    files = files == null ? List.of() : List.copyOf(files);
    wholeFiles = wholeFiles == null ? Map.of() : new TreeMap<>(wholeFiles);
  }

  /** The report of a planned job. */
  public static JobReport planned(
      String jobId,
      String jobName,
      String output,
      PreparedJob prepared,
      String runId,
      String previousRunId,
      boolean unchanged,
      List<FileChange> files,
      Map<String, Integer> wholeFiles,
      CounterSet counted,
      long planningMillis) {
    Map<String, Long> counters = new TreeMap<>();
    counted.forEach((group, name, value) -> counters.put(name, value));
    Map<FileChange.Change, Integer> totals = new EnumMap<>(FileChange.Change.class);
    files.forEach(file -> totals.merge(file.change(), 1, Integer::sum));
    List<FileChange> listed = files.stream().sorted(CHANGED_FIRST).limit(LISTED).toList();
    return new JobReport(
        jobId,
        jobName,
        output,
        System.currentTimeMillis(),
        unchanged ? Decision.UNCHANGED : Decision.INCREMENTAL,
        "",
        "",
        prepared.lineage().id().hex(),
        runId,
        previousRunId,
        prepared.naming().name(),
        prepared.namingReason(),
        prepared.reduceHazard(),
        counters,
        totals,
        listed,
        wholeFiles,
        planningMillis);
  }

  /**
   * The report of this job, launched although nothing had changed.
   *
   * @param why the job was launched all the same
   */
  public JobReport launchedAllTheSame(String why) {
    return new JobReport(
        jobId,
        jobName,
        output,
        submittedMillis,
        Decision.INCREMENTAL,
        fallback,
        why,
        lineage,
        runId,
        previousRunId,
        naming,
        namingReason,
        reduceHazard,
        counters,
        fileTotals,
        files,
        wholeFiles,
        planningMillis);
  }

  /** The report of a job that runs as stock. */
  public static JobReport stock(
      String jobId, String jobName, String output, FallbackReason reason, String detail) {
    return new JobReport(
        jobId,
        jobName,
        output,
        System.currentTimeMillis(),
        Decision.STOCK,
        reason.name(),
        detail.isEmpty() ? reason.description() : detail,
        null,
        null,
        null,
        "",
        "",
        "",
        Map.of(),
        Map.of(),
        List.of(),
        Map.of(),
        0);
  }
}
