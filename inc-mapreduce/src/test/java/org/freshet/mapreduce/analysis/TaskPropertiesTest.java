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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.freshet.mapreduce.analysis.TaskProperties.Scope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskPropertiesTest {

  @Test
  void whatStockHadoopSetsForEachTaskIsNotTheJobs() throws Exception {
    JobConf conf = new JobConf(false);
    TaskAttemptID attempt = new TaskAttemptID("200001010000", 7, TaskType.MAP, 3, 1);
    new MapTask("job.xml", attempt, 3, new TaskSplitIndex(), 1).localizeConfiguration(conf);

    Set<String> set = new TreeSet<>();
    for (Map.Entry<String, String> property : conf) {
      set.add(property.getKey());
    }
    assertThat(set).contains(MRJobConfig.TASK_ATTEMPT_ID, MRJobConfig.TASK_PARTITION);
    assertThat(set).noneMatch(name -> TaskProperties.scopeOf(name) == Scope.JOB);
  }

  @ParameterizedTest
  @CsvSource({
    "mapreduce.map.input.file, map.input.file, PLACE",
    "mapreduce.map.input.start, map.input.start, SPLIT",
    "mapreduce.map.input.length, map.input.length, SPLIT",
    "mapreduce.task.partition, mapred.task.partition, TASK_NUMBER",
    "mapreduce.task.attempt.id, mapred.task.id, RUN_ID",
    "mapreduce.task.id, mapred.tip.id, RUN_ID",
    "mapreduce.job.id, mapred.job.id, RUN_ID",
    "mapreduce.job.name, mapred.job.name, RUN_PLACE",
    "mapreduce.task.output.dir, mapred.work.output.dir, RUN_PLACE"
  })
  void deprecatedNamesMeanTheSame(String name, String deprecated, Scope scope) {
    JobConf conf = new JobConf(false);
    conf.set(name, "value");
    assertThat(conf.get(deprecated)).as("stock Hadoop's alias").isEqualTo("value");
    assertThat(TaskProperties.scopeOf(name)).isEqualTo(scope);
    assertThat(TaskProperties.scopeOf(deprecated)).isEqualTo(scope);
  }

  @Test
  void aPrefixReachesBeyondTheJobIfAnyKnownPropertyHasIt() {
    assertThat(TaskProperties.prefixReachesBeyondJob("mapred")).isTrue();
    assertThat(TaskProperties.prefixReachesBeyondJob("mapreduce.task.i")).isTrue();
    assertThat(TaskProperties.prefixReachesBeyondJob("")).isTrue();
    assertThat(TaskProperties.prefixReachesBeyondJob("my.job.")).isFalse();
  }
}
