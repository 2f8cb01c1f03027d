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
package org.freshet.cli.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The outcome of a benchmark.
 *
 * @param bench the benchmark's name
 * @param machine what it ran on
 * @param date when it ended, ISO 8601, UTC
 * @param rows the figures
 * @param series curves, where the benchmark has them; else empty
 */
public record BenchReport(
    String bench,
    String machine,
    String date,
    List<BenchRow> rows,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<BenchSeries> series) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public BenchReport {
    rows = List.copyOf(rows);
    series = series == null ? List.of() : List.copyOf(series);
  }

  /** A report of now and here. */
  public static BenchReport now(String bench, List<BenchRow> rows) {
    return now(bench, rows, List.of());
  }

  /** A report of now and here, with curves. */
  public static BenchReport now(String bench, List<BenchRow> rows, List<BenchSeries> series) {
    return new BenchReport(
        bench,
        Machine.describe(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        rows,
        series);
  }

  /**
   * Reads a report that was written as JSON.
   *
   * @throws IOException if there is no such file, or it is not a report
   */
  public static BenchReport read(Path file) throws IOException {
    try {
      return JSON.readValue(Files.readString(file), BenchReport.class);
    } catch (JsonProcessingException e) {
      throw new IOException(
          file + " is not what 'freshet bench NAME --json FILE' writes: " + e.getOriginalMessage(),
          e);
    }
  }

  /** The report as JSON. */
  public String toJson() throws IOException {
    return JSON.writeValueAsString(this);
  }

  /** Writes the report as JSON. */
  public void write(Path file) throws IOException {
    Files.writeString(file, toJson() + "\n");
  }
}
