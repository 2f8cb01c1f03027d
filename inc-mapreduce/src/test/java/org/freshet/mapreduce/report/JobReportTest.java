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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.plan.FileChange;
import org.freshet.mapreduce.plan.LeafNaming;
import org.freshet.mapreduce.report.JobReport.Decision;
import org.freshet.mapreduce.submit.JobClasses;
import org.freshet.mapreduce.submit.Lineage;
import org.freshet.mapreduce.submit.PreparedJob;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports on their way through the store. */
class JobReportTest {
  @TempDir private java.nio.file.Path temporary;
  private ReportStore reports;

  @BeforeEach
  void openStore() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRaw();
    reports = new ReportStore(fs, new Path(temporary.toUri()));
  }

  private static JobReport planned(String jobId, boolean unchanged) {
    return JobReport.planned(
        jobId,
        "word \"count\" \u65e5",
        "file:/out/" + jobId,
        new PreparedJob(
            new Lineage(Digest.sha256("lineage".getBytes(UTF_8)), "text"),
            Map.of(),
            JobClasses.of(new JobConf()),
            LeafNaming.PLACE,
            "it reads the offset",
            ""),
        "r2",
        "r1",
        unchanged,
        List.of(
            new FileChange("file:/in/a b", FileChange.Change.ADDED, 3, 2),
            new FileChange("file:/in/c", FileChange.Change.REMOVED, 1, 0)),
        Map.of("compressed", 2),
        CounterSet.builder()
            .add(FreshetCounters.GROUP, FreshetCounters.CHUNKS_TOTAL, 1L << 40)
            .build(),
        1234);
  }

  @Test
  void aPlannedJobsReportIsReadAsItWasWritten() throws IOException {
    JobReport report = planned("job_1_0001", false);

    reports.write(report);

    assertThat(reports.ofJob("job_1_0001")).contains(report);
    assertThat(report.decision()).isEqualTo(Decision.INCREMENTAL);
    assertThat(report.naming()).isEqualTo("PLACE");
    assertThat(report.counters()).isEqualTo(Map.of(FreshetCounters.CHUNKS_TOTAL, 1L << 40));
    assertThat(report.files()).hasSize(2);
    assertThat(report.wholeFiles()).isEqualTo(Map.of("compressed", 2));
  }

  @Test
  void aStockJobsReportSaysWhyAndIsReadAsItWasWritten() throws IOException {
    JobReport report = JobReport.stock("job_1_0002", "name", null, FallbackReason.NO_REDUCE, "");

    reports.write(report);

    assertThat(reports.ofJob("job_1_0002")).contains(report);
    assertThat(report.decision()).isEqualTo(Decision.STOCK);
    assertThat(report.reason()).isEqualTo(FallbackReason.NO_REDUCE.description());
    assertThat(report.lineage()).isNull();
  }

  @Test
  void aJobWithNothingToDoIsReportedAsUnchanged() {
    assertThat(planned("job_1_0003", true).decision()).isEqualTo(Decision.UNCHANGED);
  }

  @Test
  void aLaterReportOfAJobReplacesTheEarlier() throws IOException {
    reports.write(planned("job_1_0001", false));
    JobReport later = JobReport.stock("job_1_0001", "n", "o", FallbackReason.CODE_HAZARD, "clock");

    reports.write(later);

    assertThat(reports.ofJob("job_1_0001")).contains(later);
  }

  @Test
  void theNewestReportOfAnOutputIsFound() throws IOException {
    reports.write(JobReport.stock("job_1", "old", "file:/out", FallbackReason.NO_REDUCE, "1"));
    reports.write(JobReport.stock("job_2", "new", "file:/out", FallbackReason.NO_REDUCE, "2"));
    reports.write(JobReport.stock("job_3", "other", "file:/else", FallbackReason.NO_REDUCE, "3"));
    reports.write(JobReport.stock("job_4", "none", null, FallbackReason.NO_REDUCE, "4"));
    age("job_1", 1000);
    age("job_2", 2000);
    age("job_3", 3000);
    age("job_4", 4000);

    assertThat(reports.ofOutput("file:/out").orElseThrow().jobName()).isEqualTo("new");
    assertThat(reports.ofOutput("file:/nowhere")).isEmpty();
  }

  private void age(String jobId, long modified) throws IOException {
    Files.setLastModifiedTime(
        temporary.resolve("v1/reports/" + jobId + ".json"), FileTime.fromMillis(modified));
  }

  @Test
  void thereIsNoReportOfAnUnknownJobNorInAStoreWithoutReports() throws IOException {
    assertThat(reports.ofJob("job_1_0001")).isEmpty();
    assertThat(reports.ofOutput("file:/out")).isEmpty();
  }

  @Test
  void theOldestReportsAreRemovedWhenTooManyPileUp() throws IOException {
    java.nio.file.Path dir = Files.createDirectories(temporary.resolve("v1/reports"));
    for (int i = 0; i < 1100; i++) {
      Files.writeString(dir.resolve("job_%04d.json".formatted(i)), "{}");
      age("job_%04d".formatted(i), 1_000_000L + 1000L * i);
    }

    reports.write(planned("job_new", false));

    try (var left = Files.list(dir)) {
      assertThat(left).hasSize(1000);
    }
    assertThat(dir.resolve("job_new.json")).exists();
    assertThat(dir.resolve("job_1099.json")).exists();
    assertThat(dir.resolve("job_0100.json")).doesNotExist();
    assertThat(dir.resolve("job_0101.json")).exists();
  }
}
