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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.FallbackReason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportStoreTest {
  @TempDir private java.nio.file.Path dir;
  private ReportStore reports;

  @BeforeEach
  void open() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration(false)).getRaw();
    reports = new ReportStore(fs, new Path(dir.toUri()));
  }

  private void write(String job, String output, long modified) throws IOException {
    reports.write(JobReport.stock(job, "name", output, FallbackReason.NO_REDUCE, ""));
    Files.setLastModifiedTime(file(job), FileTime.fromMillis(modified));
  }

  private java.nio.file.Path file(String job) {
    return dir.resolve("v1/reports/" + job + ".json");
  }

  @Test
  void theNewestReportOfAnOutputIsFound() throws IOException {
    write("job_1_0001", "file:/out", 1_000_000);
    write("job_1_0002", "file:/out", 3_000_000);
    write("job_1_0003", "file:/other", 4_000_000);
    assertThat(reports.ofOutput("file:/out")).map(JobReport::jobId).contains("job_1_0002");
    assertThat(reports.ofOutput("file:/none")).isEmpty();
    assertThat(reports.newest(2))
        .extracting(JobReport::jobId)
        .containsExactly("job_1_0003", "job_1_0002");
  }

  @Test
  void aFallbackKeepsTheNameOfItsReason() throws IOException {
    write("job_1_0001", null, 1_000_000);
    JobReport report = reports.ofJob("job_1_0001").orElseThrow();
    assertThat(report.fallback()).isEqualTo("NO_REDUCE");
    assertThat(report.reason()).isEqualTo(FallbackReason.NO_REDUCE.description());
    assertThat(report.output()).isNull();
  }

  @Test
  void reportsOfEarlierAndLaterVersionsCanBeRead() throws IOException {
    Files.createDirectories(dir.resolve("v1/reports"));
    Files.writeString(
        file("job_1_0001"), "{\"jobId\": \"job_1_0001\", \"ofALaterVersion\": {\"a\": 1}}");
    JobReport report = reports.ofJob("job_1_0001").orElseThrow();
    assertThat(report.fallback()).isEmpty();
    assertThat(report.files()).isEmpty();
    assertThat(report.fileTotals()).isEmpty();
    assertThat(report.counters()).isEmpty();
  }

  @Test
  void aDamagedReportHidesNoOther() throws IOException {
    write("job_1_0001", "file:/out", 1_000_000);
    Files.writeString(file("job_1_0002"), "{\"jobId\": \"job_1");
    assertThat(reports.newest(10)).extracting(JobReport::jobId).containsExactly("job_1_0001");
    assertThat(reports.ofOutput("file:/out")).isPresent();
    assertThatThrownBy(() -> reports.ofJob("job_1_0002")).isInstanceOf(IOException.class);
  }

  @Test
  void aStoreWithoutReportsHasNone() throws IOException {
    assertThat(reports.newest(10)).isEmpty();
    assertThat(reports.ofJob("job_1_0001")).isEmpty();
  }
}
