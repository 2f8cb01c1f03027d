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
package org.freshet.cli.memo;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.report.ReportStore;
import org.freshet.memo.LineageStore;
import org.freshet.memo.MemoStore;
import org.freshet.memo.RunStats;

/**
 * How much a memo store holds, at about one moment. A value; also the JSON of {@code freshet memo
 * stats --json}.
 *
 * @param store its root
 * @param bytes of all files, not counting replicas
 * @param reportBytes of them the reports of jobs
 * @param indexBytes of them what is neither report nor lineage: the chunk indexes of inputs
 * @param lineages the largest first
 */
public record StoreUse(
    String store, long bytes, long reportBytes, long indexBytes, List<LineageUse> lineages) {
  private static final int LINEAGE_DIGITS = 12;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  /** Looks at a store; lists every file of it. */
  public static StoreUse of(MemoStore store) throws IOException {
    List<LineageUse> lineages = new ArrayList<>();
    for (LineageStore lineage : store.lineages()) {
      lineages.add(LineageUse.of(lineage));
    }
    lineages.sort(
        Comparator.comparingLong(LineageUse::bytes).reversed().thenComparing(LineageUse::lineage));
    FileSystem fs = store.fileSystem();
    Path reports = new ReportStore(fs, store.root()).directory();
    long reportBytes = fs.exists(reports) ? fs.getContentSummary(reports).getLength() : 0;
    long lineageBytes = lineages.stream().mapToLong(LineageUse::bytes).sum();
    // Jobs may have written and deleted between the listings.
    long bytes =
        Math.max(fs.getContentSummary(store.root()).getLength(), reportBytes + lineageBytes);
    return new StoreUse(
        store.root().toString(),
        bytes,
        reportBytes,
        bytes - reportBytes - lineageBytes,
        List.copyOf(lineages));
  }

  /**
   * Words it for people.
   *
   * @param runs whether to list each run of each lineage
   */
  public String text(boolean runs) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%-14s %s%n", "store", store));
    number(text, "bytes", bytes);
    number(text, "  results", bytes - reportBytes - indexBytes);
    number(text, "  chunk indexes", indexBytes);
    number(text, "  reports", reportBytes);
    number(text, "lineages", lineages.size());
    number(text, "runs", lineages.stream().mapToLong(lineage -> lineage.runs().size()).sum());
    number(text, "manifests", lineages.stream().mapToLong(LineageUse::manifests).sum());
    number(text, "packs", lineages.stream().mapToLong(LineageUse::packs).sum());
    if (!lineages.isEmpty()) {
      text.append(
          String.format(
              "%n%-12s  %15s  %5s  %6s  %-19s  %s%n",
              "lineage", "bytes", "runs", "packs", "last run", "job"));
    }
    for (LineageUse lineage : lineages) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-12s  %,15d  %,5d  %,6d  %-19s  %s%n",
              lineage.lineage().substring(0, LINEAGE_DIGITS),
              lineage.bytes(),
              lineage.runs().size(),
              lineage.packs(),
              lineage.jobId() == null
                  ? "none"
                  : TIME.format(Instant.ofEpochMilli(lineage.publishedMillis())),
              lineage.jobId() == null ? "-" : lineage.jobName() + " (" + lineage.jobId() + ")"));
      if (runs) {
        lineage.runs().forEach(run -> run(text, run));
      }
    }
    return text.toString();
  }

  private static void run(StringBuilder text, RunStats run) {
    text.append(
        String.format(
            Locale.ROOT,
            "%-12s  %,15d  %5s  %,6d  %s%s%n",
            "",
            run.bytes(),
            "",
            run.packs(),
            run.runId(),
            run.published() ? "" : " (not published, or kept for a later run)"));
  }

  private static void number(StringBuilder text, String name, long value) {
    text.append(String.format(Locale.ROOT, "%-15s %,d%n", name, value));
  }
}
