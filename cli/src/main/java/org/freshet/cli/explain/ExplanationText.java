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

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.freshet.cli.explain.Explanation.JobBefore;
import org.freshet.cli.explain.Explanation.Reduces;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.plan.FileChange;
import org.freshet.mapreduce.report.JobReport;

/** Words an {@link Explanation} for people. */
public final class ExplanationText {
  private static final int LINEAGE_DIGITS = 12;

  private final Explanation explanation;
  private final JobReport report;
  private final int limit;
  private final StringBuilder text = new StringBuilder();

  private ExplanationText(Explanation explanation, int limit) {
    this.explanation = explanation;
    report = explanation.report();
    this.limit = limit;
  }

  /**
   * Renders an explanation.
   *
   * @param limit how many files to list at most
   */
  public static String render(Explanation explanation, int limit) {
    ExplanationText text = new ExplanationText(explanation, limit);
    text.job();
    text.decision();
    if (text.report.decision() != JobReport.Decision.STOCK) {
      text.before();
      text.input();
      text.reduces();
    }
    return text.text.toString();
  }

  private void job() {
    line(
        "job       %s%s",
        report.jobId(), report.jobName().isEmpty() ? "" : ": " + report.jobName());
    if (report.output() != null) {
      line("output    %s", report.output());
    }
    line("planned   %s", planned());
    line("store     %s", explanation.store());
    if (report.lineage() != null) {
      line("lineage   %s", report.lineage().substring(0, LINEAGE_DIGITS));
      line("run       %s", report.runId());
      line("previous  %s", previous());
    }
  }

  private String planned() {
    String time = JobLine.time(report.submittedMillis());
    return report.planningMillis() == 0
        ? time
        : String.format(Locale.ROOT, "%s, in %,d ms", time, report.planningMillis());
  }

  private String previous() {
    if (report.previousRunId() == null) {
      return "none";
    }
    return explanation.previousJobId() == null
        ? report.previousRunId()
        : report.previousRunId() + " (" + explanation.previousJobId() + ")";
  }

  private void decision() {
    line("");
    switch (report.decision()) {
      case STOCK -> {
        line("It ran as stock Hadoop would run it; nothing was reused.");
        line("  why: %s", labelled());
        if (!explanation.advice().isEmpty()) {
          line("  what to do: %s", explanation.advice());
        }
      }
      case UNCHANGED -> line("It launched nothing: nothing has changed, its output was copied.");
      case INCREMENTAL -> {
        long added = counter(FreshetCounters.CHUNKS_ADDED);
        if (report.previousRunId() == null) {
          line("It ran incrementally, for the first time: everything was mapped.");
        } else if (added == 0) {
          line("It ran incrementally: no chunk was mapped, only reduces were launched.");
        } else {
          line(
              "It ran incrementally: %,d of %,d chunks were mapped.",
              added, counter(FreshetCounters.CHUNKS_TOTAL));
        }
        if (!report.reason().isEmpty()) {
          line("  why: %s", report.reason());
        }
      }
    }
  }

  /** The reason's name and sentence; the sentence begins with the name where more was found. */
  private String labelled() {
    return report.fallback().isEmpty() || report.reason().startsWith(report.fallback() + ":")
        ? report.reason()
        : report.fallback() + ": " + report.reason();
  }

  private void before() {
    JobBefore before = explanation.before();
    if (before == null) {
      return;
    }
    line("");
    String which =
        "%s of %s, which %s"
            .formatted(
                before.jobId(),
                JobLine.time(before.submittedMillis()),
                before.sameOutput() ? "wrote to the same directory" : "had the same name");
    if (before.stock()) {
      line("Nothing was reused: %s, ran as stock and left no results.", which);
    } else if (before.sameLineage()) {
      line(
          "Nothing was reused: %s was the same job, but it left no results that can be used: it"
              + " failed, was under way, or the store lost them.",
          before.jobId());
    } else if (!before.changesKnown()) {
      line("Nothing was reused: %s, was another job; how is not known any more.", which);
    } else {
      line("Nothing was reused: %s, was another job. What has changed:", which);
      before.changes().forEach(change -> line("  %s", change.sentence()));
    }
  }

  private void input() {
    line("");
    line("Input");
    line(
        "  chunks  %,d: %,d reused, %,d mapped, %,d not there any more",
        counter(FreshetCounters.CHUNKS_TOTAL),
        counter(FreshetCounters.CHUNKS_KEPT),
        counter(FreshetCounters.CHUNKS_ADDED),
        counter(FreshetCounters.CHUNKS_REMOVED));
    line(
        "  bytes   %,d reused, %,d mapped, %,d read to find the chunks",
        counter(FreshetCounters.BYTES_REUSED),
        counter(FreshetCounters.BYTES_MAPPED),
        counter(FreshetCounters.BYTES_DIGESTED));
    line("  files   %s", fileTotals());
    files();
    report
        .wholeFiles()
        .forEach((why, files) -> line("  whole   %,d not cut into chunks: %s", files, why));
    line("  Chunks are named %s, because %s.", naming(), report.namingReason());
    if (!report.naming().equals("CONTENT")) {
      line(
          "  If the job's output does not depend on that, %s=false lets more be reused.",
          FreshetKeys.POSITION_SENSITIVE.name());
    }
  }

  private String fileTotals() {
    if (report.fileTotals().isEmpty()) {
      return "none";
    }
    return report.fileTotals().entrySet().stream()
        .map(total -> "%,d %s".formatted(total.getValue(), lower(total.getKey())))
        .collect(Collectors.joining(", "));
  }

  private void files() {
    List<FileChange> listed =
        report.files().stream()
            .filter(file -> file.change() != FileChange.Change.UNCHANGED || file.mapped() > 0)
            .toList();
    for (FileChange file : listed.subList(0, Math.min(limit, listed.size()))) {
      line(
          "    %-9s %s: %s",
          lower(file.change()),
          file.path(),
          file.change() == FileChange.Change.REMOVED
              ? "%,d chunks then".formatted(file.chunks())
              : "%,d of %,d chunks mapped".formatted(file.mapped(), file.chunks()));
    }
    int more = listed.size() - limit;
    if (more > 0) {
      line("    and %,d more (--all lists them)", more);
    }
    int known =
        report.fileTotals().entrySet().stream()
            .filter(total -> total.getKey() != FileChange.Change.UNCHANGED)
            .mapToInt(Map.Entry::getValue)
            .sum();
    if (listed.size() == JobReport.LISTED && known > JobReport.LISTED) {
      line("    and %,d that the report does not name", known - JobReport.LISTED);
    }
  }

  private String naming() {
    return switch (report.naming()) {
      case "CONTENT" -> "by their content alone (CONTENT)";
      case "PLACE" -> "by content, file and offset (PLACE)";
      case "SPLIT" -> "as whole splits of their file (SPLIT)";
      default -> report.naming();
    };
  }

  private void reduces() {
    Reduces reduces = explanation.reduces();
    line("");
    line("Reduces");
    if (!report.reduceHazard().isEmpty()) {
      line("  Every reduce runs, even on what the last run had: %s.", report.reduceHazard());
      line("  If that does not matter, %s=ignore overrides it.", FreshetKeys.CODE_HAZARDS.name());
    }
    switch (reduces.results()) {
      case UNDER_WAY ->
          line("  The run has not ended, or was killed: there are no results in the store.");
      case COLLECTED ->
          line(
              "  The run's results were removed since: later runs took their place (%s).",
              FreshetKeys.RETAIN_RUNS.name());
      case ABSENT ->
          line(
              "  The run left no results in the store: the job failed or was killed, or later runs"
                  + " took their place (%s).",
              FreshetKeys.RETAIN_RUNS.name());
      case PRESENT -> {
        int total = reduces.partitions().values().stream().mapToInt(List::size).sum();
        reduces
            .partitions()
            .forEach(
                (outcome, partitions) ->
                    line(
                        "  %,d of %,d %s: %s",
                        partitions.size(), total, outcome.description(), ranges(partitions)));
        line(
            "  nodes   %,d combined in reduces, %,d memoized runs read, %,d cut off, %,d made again",
            reduces.combined(), reduces.reused(), reduces.cutOff(), reduces.recomputed());
      }
    }
  }

  /** For example {@code 0-3, 7}. */
  static String ranges(List<Integer> ascending) {
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < ascending.size(); ) {
      int end = i;
      while (end + 1 < ascending.size() && ascending.get(end + 1) == ascending.get(end) + 1) {
        end++;
      }
      ranges.add(
          end == i ? ascending.get(i).toString() : ascending.get(i) + "-" + ascending.get(end));
      i = end + 1;
    }
    return String.join(", ", ranges);
  }

  private long counter(String name) {
    return report.counters().getOrDefault(name, 0L);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private void line(String format, Object... arguments) {
    text.append(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
    text.append(System.lineSeparator());
  }
}
