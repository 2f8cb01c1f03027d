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

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.explain.Explanation.JobBefore;
import org.freshet.cli.explain.Explanation.Reduces;
import org.freshet.cli.explain.Explanation.Results;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.plan.ReducePlan;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.reduce.PartitionRecord;
import org.freshet.mapreduce.report.FallbackAdvice;
import org.freshet.mapreduce.report.JobReport;
import org.freshet.mapreduce.report.ReportStore;
import org.freshet.mapreduce.submit.Lineage;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.MemoStore;
import org.freshet.memo.PartitionFile;
import org.freshet.slider.Digest;

/**
 * Reads what a memo store says of jobs: their reports, what their lineages are, and what their runs
 * left behind. Changes nothing. What can't be read any more is told as such; only a store that
 * can't be read at all is an error.
 */
public final class Explainer {
  /** How many jobs are looked through for one that another might have shared results with. */
  private static final int LOOKED_THROUGH = 200;

  private final MemoStore store;
  private final Configuration conf;
  private final ReportStore reports;

  /**
   * @param conf what output directories without a scheme are relative to
   */
  public Explainer(MemoStore store, Configuration conf) {
    this.store = store;
    this.conf = conf;
    reports = new ReportStore(store.fileSystem(), store.root());
  }

  /** Where the reports are. */
  public Path reports() {
    return reports.directory();
  }

  /** The newest jobs first. */
  public List<JobLine> recent(int limit) throws IOException {
    return reports.newest(limit).stream().map(JobLine::of).toList();
  }

  /**
   * Finds a job.
   *
   * @param job its id, or its output directory: then the newest job that wrote there
   */
  public Optional<JobReport> find(String job) throws IOException {
    if (job.matches("job_\\w+")) {
      Optional<JobReport> named = reports.ofJob(job);
      if (named.isPresent()) {
        return named;
      }
    }
    Path path;
    try {
      path = new Path(job);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "'" + job + "' is neither a job's id nor a directory: " + e.getMessage());
    }
    String qualified = path.getFileSystem(conf).makeQualified(path).toString();
    // The job may have had another default file system than this configuration.
    String bare = path.toUri().getScheme() == null && path.isAbsolute() ? path.toString() : null;
    return reports.newest(
        report ->
            report.output() != null
                && (qualified.equals(report.output())
                    || (bare != null && bare.equals(new Path(report.output()).toUri().getPath()))));
  }

  /** Explains a job. */
  public Explanation explain(JobReport report) throws IOException {
    boolean stock = report.decision() == JobReport.Decision.STOCK;
    return new Explanation(
        report,
        store.root().toString(),
        advice(report.fallback()),
        report.previousRunId() == null ? null : previousJob(report),
        !stock && report.previousRunId() == null ? before(report) : null,
        stock ? null : reduces(report));
  }

  private static String advice(String fallback) {
    for (FallbackReason reason : FallbackReason.values()) {
      if (reason.name().equals(fallback)) {
        return FallbackAdvice.on(reason);
      }
    }
    return "";
  }

  private LineageStore lineage(JobReport report) {
    return store.lineage(Digest.fromHex(report.lineage()));
  }

  private String previousJob(JobReport report) throws IOException {
    Optional<Manifest> manifest = manifest(lineage(report), report.previousRunId());
    return manifest.map(Manifest::jobId).orElse(null);
  }

  /** A manifest that can be read. */
  private static Optional<Manifest> manifest(LineageStore lineage, String runId) {
    try {
      return lineage.manifest(runId);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private JobBefore before(JobReport report) throws IOException {
    JobReport before = null;
    for (JobReport other : reports.newest(LOOKED_THROUGH)) {
      boolean earlier = other.submittedMillis() < report.submittedMillis();
      if (earlier && related(other, report)) {
        if (other.lineage() != null) {
          before = other;
          break;
        }
        before = before == null ? other : before;
      }
    }
    if (before == null) {
      return null;
    }
    boolean same = report.lineage().equals(before.lineage());
    Optional<List<LineageChange>> changes =
        before.lineage() == null || same ? Optional.empty() : changes(before, report);
    return new JobBefore(
        before.jobId(),
        before.submittedMillis(),
        report.output() != null && report.output().equals(before.output()),
        before.lineage() == null,
        same,
        changes.orElse(List.of()),
        changes.isPresent());
  }

  private static boolean related(JobReport other, JobReport report) {
    return report.lineage().equals(other.lineage())
        || (report.output() != null && report.output().equals(other.output()))
        || (!report.jobName().isEmpty() && report.jobName().equals(other.jobName()));
  }

  private Optional<List<LineageChange>> changes(JobReport before, JobReport after)
      throws IOException {
    Optional<String> was = lineage(before).description();
    Optional<String> is = lineage(after).description();
    return was.isEmpty() || is.isEmpty()
        ? Optional.empty()
        : Optional.of(LineageChange.between(Lineage.facts(was.get()), Lineage.facts(is.get())));
  }

  private Reduces reduces(JobReport report) throws IOException {
    LineageStore lineage = lineage(report);
    Optional<Manifest> manifest = manifest(lineage, report.runId());
    if (manifest.isEmpty()) {
      return Reduces.without(withoutManifest(lineage, report));
    }
    List<String> earlier = earlierPartitions(lineage, report);
    Map<ReduceOutcome, List<Integer>> partitions = new EnumMap<>(ReduceOutcome.class);
    int combined = 0;
    int reused = 0;
    int cutOff = 0;
    int recomputed = 0;
    List<String> names = manifest.get().partitions();
    for (int p = 0; p < names.size(); p++) {
      ReduceOutcome outcome;
      if (!new Path(names.get(p)).getParent().getName().equals(report.runId())) {
        outcome = ReduceOutcome.UNCHANGED;
      } else {
        Optional<PartitionRecord> record = record(lineage, names.get(p));
        if (record.isPresent()) {
          outcome = outcome(lineage, report, record.get(), earlier, p);
          combined += record.get().combined();
          reused += record.get().reused();
          cutOff += record.get().cutOff();
          recomputed += record.get().recomputed();
        } else {
          outcome = ReduceOutcome.UNREADABLE;
        }
      }
      partitions.computeIfAbsent(outcome, o -> new ArrayList<>()).add(p);
    }
    return new Reduces(Results.PRESENT, partitions, combined, reused, cutOff, recomputed);
  }

  private Results withoutManifest(LineageStore lineage, JobReport report) throws IOException {
    if (lineage.leaseExists(report.runId())) {
      return Results.UNDER_WAY;
    }
    boolean used =
        reports.newest(other -> report.runId().equals(other.previousRunId())).isPresent();
    return used ? Results.COLLECTED : Results.ABSENT;
  }

  /** The index files of the run that a run was planned with; empty if they can't be told. */
  private static List<String> earlierPartitions(LineageStore lineage, JobReport report) {
    try {
      return ReducePlan.read(
              lineage.fileSystem(), RunPlaces.reducePlan(lineage.runDir(report.runId())))
          .previousPartitions();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static ReduceOutcome outcome(
      LineageStore lineage,
      JobReport report,
      PartitionRecord record,
      List<String> earlier,
      int partition) {
    if (record.outputReused()) {
      return ReduceOutcome.REUSED;
    }
    if (report.previousRunId() == null) {
      return ReduceOutcome.FIRST_RUN;
    }
    if (!report.reduceHazard().isEmpty()) {
      return ReduceOutcome.HAZARD;
    }
    if (partition >= earlier.size()) {
      return ReduceOutcome.OTHER_PARTITIONS;
    }
    Optional<PartitionRecord> before = record(lineage, earlier.get(partition));
    if (before.isEmpty()) {
      return ReduceOutcome.EARLIER_RUN_UNREADABLE;
    }
    if (!before.get().reduceKey().equals(record.reduceKey())) {
      return ReduceOutcome.INPUT_CHANGED;
    }
    return before.get().output() == null ? ReduceOutcome.OUTPUT_UNKNOWN : ReduceOutcome.OUTPUT_GONE;
  }

  private static Optional<PartitionRecord> record(LineageStore lineage, String name) {
    try (PartitionFile file =
        PartitionFile.open(lineage.fileSystem(), new Path(lineage.dir(), name))) {
      return Optional.of(PartitionRecord.of(file.record()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
