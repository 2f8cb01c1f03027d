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
package org.freshet.mapreduce.analysis;

import java.util.List;
import java.util.Set;

/**
 * The configuration properties that Hadoop sets for each task or that differ between runs of one
 * job, under their present and their deprecated names.
 *
 * <p>Source: Hadoop 3.5.0 {@code Task.localizeConfiguration}, {@code MapTask.updateJobWithSplit},
 * {@code YarnChild.configureLocalDirs}, {@code mapreduce.util.ConfigUtil}.
 */
final class TaskProperties {

  /** What the value of a property depends on. */
  enum Scope {
    /** The job's configuration alone. */
    JOB,
    /** The file at hand. */
    PLACE,
    /** The split at hand, or the task that processes it. */
    SPLIT,
    /** How the job was cut into tasks: for a reduce task this is its partition, a fixed number. */
    TASK_NUMBER,
    /** Ids drawn anew for each run or attempt. */
    RUN_ID,
    /** Names, directories and sizes that may differ between runs of the same job. */
    RUN_PLACE
  }

  private static final Set<String> TASK_NUMBER =
      Set.of("mapreduce.task.partition", "mapred.task.partition");

  private static final Set<String> RUN_ID =
      Set.of(
          "mapreduce.task.id",
          "mapred.tip.id",
          "mapreduce.task.attempt.id",
          "mapred.task.id",
          "mapreduce.job.id",
          "mapred.job.id",
          "mapreduce.job.application.attempt.id");

  private static final Set<String> RUN_PLACE =
      Set.of(
          "mapreduce.job.maps",
          "mapred.map.tasks",
          "mapreduce.job.name",
          "mapred.job.name",
          "mapreduce.job.submithostname",
          "mapreduce.job.submithostaddress",
          "mapreduce.job.user.name",
          "user.name",
          "mapreduce.job.working.dir",
          "mapred.working.dir",
          "mapreduce.job.dir",
          "mapreduce.job.local.dir",
          "job.local.dir",
          "mapreduce.cluster.local.dir",
          "mapred.local.dir",
          "mapreduce.task.output.dir",
          "mapred.work.output.dir",
          "mapreduce.output.fileoutputformat.outputdir",
          "mapred.output.dir",
          "mapreduce.input.fileinputformat.inputdir",
          "mapred.input.dir");

  private static final Set<String> FILE = Set.of("mapreduce.map.input.file", "map.input.file");

  private static final Set<String> SPLIT =
      Set.of("mapred.skip.on", "mapreduce.job.skiprecords", "mapred.input.split");

  private static final List<String> SPLIT_PREFIXES =
      List.of("mapreduce.map.input.", "map.input.", "mapreduce.task.", "mapred.task.");

  private TaskProperties() {}

  static Scope scopeOf(String property) {
    if (TASK_NUMBER.contains(property)) {
      return Scope.TASK_NUMBER;
    }
    if (RUN_ID.contains(property)) {
      return Scope.RUN_ID;
    }
    if (RUN_PLACE.contains(property)) {
      return Scope.RUN_PLACE;
    }
    if (FILE.contains(property)) {
      return Scope.PLACE;
    }
    boolean split =
        SPLIT.contains(property) || SPLIT_PREFIXES.stream().anyMatch(property::startsWith);
    return split ? Scope.SPLIT : Scope.JOB;
  }

  /** Whether some property that is not the job's own starts with the prefix. */
  static boolean prefixReachesBeyondJob(String prefix) {
    return scopeOf(prefix) != Scope.JOB
        || SPLIT_PREFIXES.stream().anyMatch(known -> known.startsWith(prefix))
        || List.of(TASK_NUMBER, RUN_ID, RUN_PLACE, FILE, SPLIT).stream()
            .flatMap(Set::stream)
            .anyMatch(known -> known.startsWith(prefix));
  }
}
