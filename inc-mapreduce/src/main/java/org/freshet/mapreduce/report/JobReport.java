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

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.plan.FileChange;
import org.freshet.mapreduce.submit.PreparedJob;
import org.freshet.memo.CounterSet;

/**
 * What was decided about one job and why: the source of {@code freshet explain}. Immutable; written
 * as JSON.
 *
 * @param jobId the job's id
 * @param output its output directory, or null
 * @param submittedMillis when it was planned
 * @param decision INCREMENTAL, UNCHANGED or STOCK
 * @param reason why a job ran as stock, or an empty string
 * @param lineage id of its lineage, or null where that is unknown
 * @param runId its run within the lineage
 * @param previousRunId the run it was compared with, or null for a first run
 * @param naming how its leaves are named
 * @param namingReason why
 * @param counters Freshet's counters known when it was planned
 * @param files what became of its input files, the changed ones first
 * @param planningMillis time spent planning, chunking included
 */
public record JobReport(
    String jobId,
    String jobName,
    String output,
    long submittedMillis,
    Decision decision,
    String reason,
    String lineage,
    String runId,
    String previousRunId,
    String naming,
    String namingReason,
    Map<String, Long> counters,
    List<FileChange> files,
    long planningMillis) {

  /** How a job was run. */
  public enum Decision {
    INCREMENTAL,
    UNCHANGED,
    STOCK
  }

  /** The report of a planned job. */
  public static JobReport planned(
      String jobId,
      String jobName,
      String output,
      PreparedJob prepared,
      String runId,
      String previousRunId,
      boolean unchanged,
      List<FileChange> files,
      CounterSet counted,
      long planningMillis) {
    Map<String, Long> counters = new TreeMap<>();
    counted.forEach((group, name, value) -> counters.put(name, value));
    return new JobReport(
        jobId,
        jobName,
        output,
        System.currentTimeMillis(),
        unchanged ? Decision.UNCHANGED : Decision.INCREMENTAL,
        "",
        prepared.lineage().id().hex(),
        runId,
        previousRunId,
        prepared.naming().name(),
        prepared.namingReason(),
        counters,
        files,
        planningMillis);
  }

  /** The report of a job that runs as stock. */
  public static JobReport stock(
      String jobId, String jobName, String output, FallbackReason reason, String detail) {
    return new JobReport(
        jobId,
        jobName,
        output,
        System.currentTimeMillis(),
        Decision.STOCK,
        detail.isEmpty() ? reason.description() : detail,
        null,
        null,
        null,
        "",
        "",
        Map.of(),
        List.of(),
        0);
  }
}
