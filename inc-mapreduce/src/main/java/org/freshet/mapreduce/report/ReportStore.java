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

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of recent jobs, one JSON file a job, in a directory of the memo store. */
public final class ReportStore {
  private static final Logger LOG = LoggerFactory.getLogger(ReportStore.class);

  /** Reports beyond this number are removed, the oldest first. */
  private static final int KEPT = 1000;

  /** How many may pile up before some are removed. */
  private static final int SLACK = 100;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          // A later version may have written more.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final FileSystem fs;
  private final Path dir;

  /**
   * @param root the store's root
   */
  public ReportStore(FileSystem fs, Path root) {
    this.fs = fs;
    dir = new Path(root, "v1/reports");
  }

  /** Writes a report, replacing an earlier one of the same job. */
  public void write(JobReport report) throws IOException {
    fs.mkdirs(dir);
    try (OutputStream out = fs.create(new Path(dir, report.jobId() + ".json"), true)) {
      JSON.writeValue(out, report);
    }
    FileStatus[] all = list();
    if (all.length > KEPT + SLACK) {
      for (int i = KEPT; i < all.length; i++) {
        fs.delete(all[i].getPath(), false);
      }
    }
  }

  /** The report of a job. */
  public Optional<JobReport> ofJob(String jobId) throws IOException {
    return read(new Path(dir, jobId + ".json"));
  }

  /** The newest report of a job that wrote to a directory. */
  public Optional<JobReport> ofOutput(String output) throws IOException {
    Objects.requireNonNull(output, "output");
    return newest(report -> output.equals(report.output()));
  }

  /** The newest report that satisfies a condition; reports that can't be read are passed over. */
  public Optional<JobReport> newest(Predicate<JobReport> condition) throws IOException {
    for (FileStatus file : list()) {
      Optional<JobReport> report = readable(file.getPath()).filter(condition);
      if (report.isPresent()) {
        return report;
      }
    }
    return Optional.empty();
  }

  /**
   * The newest reports first; those that can't be read are passed over.
   *
   * @param limit how many at most
   */
  public List<JobReport> newest(int limit) throws IOException {
    List<JobReport> reports = new ArrayList<>();
    for (FileStatus file : list()) {
      if (reports.size() == limit) {
        break;
      }
      readable(file.getPath()).ifPresent(reports::add);
    }
    return reports;
  }

  /** Where the reports are. */
  public Path directory() {
    return dir;
  }

  private Optional<JobReport> readable(Path file) {
    try {
      return read(file);
    } catch (IOException e) {
      LOG.warn("Passing over {}, which can't be read: {}", file, e.toString());
      return Optional.empty();
    }
  }

  private FileStatus[] list() throws IOException {
    try {
      FileStatus[] files = fs.listStatus(dir, path -> path.getName().endsWith(".json"));
      Arrays.sort(
          files,
          Comparator.comparingLong(FileStatus::getModificationTime)
              .thenComparing(FileStatus::getPath)
              .reversed());
      return files;
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    }
  }

  private Optional<JobReport> read(Path file) throws IOException {
    try (InputStream in = fs.open(file)) {
      return Optional.of(JSON.readValue(in, JobReport.class));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }
}
