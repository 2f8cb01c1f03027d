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
package org.freshet.cli.quickstart;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.freshet.cli.program.JobCounters;
import org.freshet.cli.program.ProgramResult;
import org.freshet.mapreduce.FreshetCounters;

/**
 * What one run of the quick start did.
 *
 * @param title what people read
 * @param time from the launch of its JVM to its end
 * @param maps map tasks that were launched
 * @param bytesMapped bytes that the mappers read
 * @param chunks how much came from the memo store; empty for a stock run
 * @param output the output directory
 */
record QuickstartRun(
    String title, Duration time, long maps, long bytesMapped, Optional<Reuse> chunks, Path output) {

  /**
   * Chunks whose map output came from the memo store.
   *
   * @param reused how many
   * @param total of how many
   */
  record Reuse(long reused, long total) {}

  private static final Pattern SPLITS = Pattern.compile(".*number of splits:(\\d+)");

  static QuickstartRun of(String title, ProgramResult result, Path output) {
    List<JobCounters> jobs = result.jobs();
    JobCounters counters = jobs.get(jobs.size() - 1);
    return new QuickstartRun(
        title,
        result.wall(),
        maps(result.output()),
        counters
            .get(FreshetCounters.GROUP, FreshetCounters.BYTES_MAPPED)
            .orElse(counters.value("File Input Format Counters", "Bytes Read")),
        reuse(counters),
        output);
  }

  /** Empty where the job has no counter of Freshet, so was not incremental. */
  private static Optional<Reuse> reuse(JobCounters counters) {
    OptionalLong total = counters.get(FreshetCounters.GROUP, FreshetCounters.CHUNKS_TOTAL);
    return total.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Reuse(
                counters.value(FreshetCounters.GROUP, FreshetCounters.CHUNKS_KEPT),
                total.getAsLong()));
  }

  /** The local job runner counts no launched tasks; the client logs how many splits it submits. */
  private static long maps(List<String> lines) {
    long maps = 0;
    for (String line : lines) {
      Matcher matcher = SPLITS.matcher(line);
      if (matcher.matches()) {
        maps += Long.parseLong(matcher.group(1));
      }
    }
    return maps;
  }
}
