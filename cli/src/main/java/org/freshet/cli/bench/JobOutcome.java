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

import java.time.Duration;
import java.util.List;
import org.freshet.cli.program.JobCounters;
import org.freshet.cli.program.ProgramResult;

/**
 * What a program cost.
 *
 * @param wall from the launch of the client's JVM to its end
 * @param cpu processor time of all tasks, as the job counted it
 * @param tasks wall time of all tasks together
 * @param containers containers that were launched: maps, reduces and application masters
 */
record JobOutcome(Duration wall, Duration cpu, Duration tasks, long containers) {
  private static final String FRAMEWORK = "Map-Reduce Framework";
  private static final String JOB = "Job Counters";
  private static final String SUBMITTED = "Submitted application application_";
  private static final String UBER = "running in uber mode : true";

  static JobOutcome of(ProgramResult result) {
    long cpuMs = 0;
    long taskMs = 0;
    long containers = 0;
    for (JobCounters job : result.jobs()) {
      cpuMs += job.value(FRAMEWORK, "CPU time spent (ms)");
      taskMs +=
          job.value(JOB, "Total time spent by all map tasks (ms)")
              + job.value(JOB, "Total time spent by all reduce tasks (ms)");
      containers += job.value(JOB, "Launched map tasks") + job.value(JOB, "Launched reduce tasks");
    }
    if (contains(result.output(), UBER) > 0) {
      // The tasks ran inside the application master.
      containers = 0;
    }
    containers += contains(result.output(), SUBMITTED);
    return new JobOutcome(
        result.wall(), Duration.ofMillis(cpuMs), Duration.ofMillis(taskMs), containers);
  }

  double wallSeconds() {
    return wall.toNanos() / 1e9;
  }

  double cpuSeconds() {
    return cpu.toMillis() / 1e3;
  }

  double taskSeconds() {
    return tasks.toMillis() / 1e3;
  }

  private static long contains(List<String> lines, String text) {
    return lines.stream().filter(line -> line.contains(text)).count();
  }
}
