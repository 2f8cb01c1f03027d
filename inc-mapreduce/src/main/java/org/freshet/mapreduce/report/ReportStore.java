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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The reports of recent jobs, one JSON file a job, in a directory of the memo store. */
public final class ReportStore {
  /** Reports beyond this number are removed, the oldest first. */
  private static final int KEPT = 1000;

  /** How many may pile up before some are removed. */
  private static final int SLACK = 100;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

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
    for (FileStatus file : list()) {
      Optional<JobReport> report = read(file.getPath());
      if (report.isPresent() && output.equals(report.get().output())) {
        return report;
      }
    }
    return Optional.empty();
  }

  /** The newest reports first. */
  public List<Path> recent() throws IOException {
    return Arrays.stream(list()).map(FileStatus::getPath).toList();
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

  /** Reads one report. */
  public Optional<JobReport> read(Path file) throws IOException {
    try (InputStream in = fs.open(file)) {
      return Optional.of(JSON.readValue(in, JobReport.class));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }
}
