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

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.report.JobReport;

/**
 * One job of a list of jobs.
 *
 * @param decision how it was run
 * @param fallback name of the reason why it ran as stock, or empty
 * @param chunksKept chunks whose map output was reused
 * @param chunksAdded chunks that were mapped
 */
public record JobLine(
    String jobId,
    String jobName,
    String output,
    long submittedMillis,
    JobReport.Decision decision,
    String fallback,
    long chunksKept,
    long chunksAdded) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  static JobLine of(JobReport report) {
    return new JobLine(
        report.jobId(),
        report.jobName(),
        report.output(),
        report.submittedMillis(),
        report.decision(),
        report.fallback(),
        report.counters().getOrDefault(FreshetCounters.CHUNKS_KEPT, 0L),
        report.counters().getOrDefault(FreshetCounters.CHUNKS_ADDED, 0L));
  }

  /** The jobs as a table for people, one line each under a heading. */
  public static String table(List<JobLine> jobs) {
    int idWidth = jobs.stream().mapToInt(job -> job.jobId().length()).max().orElse(0);
    String format = "%-" + Math.max(3, idWidth) + "s  %-19s  %8s  %8s  %-10s  %s%n";
    StringBuilder text = new StringBuilder();
    text.append(format.formatted("job", "time", "reused", "mapped", "ran as", "name"));
    for (JobLine job : jobs) {
      boolean stock = job.decision() == JobReport.Decision.STOCK;
      text.append(
          format.formatted(
              job.jobId(),
              time(job.submittedMillis()),
              stock ? "-" : job.chunksKept(),
              stock ? "-" : job.chunksAdded(),
              decision(job.decision()),
              stock && !job.fallback().isEmpty()
                  ? job.jobName() + " (" + job.fallback() + ")"
                  : job.jobName()));
    }
    return text.toString();
  }

  private static String decision(JobReport.Decision decision) {
    return switch (decision) {
      case INCREMENTAL -> "delta job";
      case UNCHANGED -> "nothing";
      case STOCK -> "stock";
    };
  }

  /** A time in this machine's zone. */
  static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis));
  }
}
