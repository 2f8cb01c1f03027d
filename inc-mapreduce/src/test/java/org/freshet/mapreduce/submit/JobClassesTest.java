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
package org.freshet.mapreduce.submit;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.Test;

class JobClassesTest {
  private final JobConf job = new JobConf();

  @Test
  void aBareNewApiJobHasStocksDefaults() {
    job.setUseNewMapper(true);
    job.setUseNewReducer(true);

    JobClasses classes = JobClasses.of(job);

    assertThat(classes.get(JobClasses.INPUT_FORMAT))
        .isEqualTo(org.apache.hadoop.mapreduce.lib.input.TextInputFormat.class.getName());
    assertThat(classes.get(JobClasses.MAPPER))
        .isEqualTo(org.apache.hadoop.mapreduce.Mapper.class.getName());
    assertThat(classes.get(JobClasses.REDUCER)).isEqualTo(Reducer.class.getName());
    assertThat(classes.get(JobClasses.PARTITIONER))
        .isEqualTo(org.apache.hadoop.mapreduce.lib.partition.HashPartitioner.class.getName());
    assertThat(classes.get(JobClasses.OUTPUT_FORMAT))
        .isEqualTo(org.apache.hadoop.mapreduce.lib.output.TextOutputFormat.class.getName());
    assertThat(classes.get(JobClasses.MAP_RUNNER)).isNull();
    assertThat(classes.get(JobClasses.COMBINER)).isNull();
    assertThat(classes.get(JobClasses.SORT_COMPARATOR)).isNull();
  }

  @Test
  void aBareOldApiJobHasTheDefaultsThatStockWouldLoad() {
    JobClasses classes = JobClasses.of(job);

    assertThat(classes.newMapApi()).isFalse();
    assertThat(classes.get(JobClasses.INPUT_FORMAT))
        .isEqualTo(job.getInputFormat().getClass().getName());
    assertThat(classes.get(JobClasses.MAPPER)).isEqualTo(job.getMapperClass().getName());
    assertThat(classes.get(JobClasses.MAP_RUNNER)).isEqualTo(job.getMapRunnerClass().getName());
    assertThat(classes.get(JobClasses.REDUCER)).isEqualTo(job.getReducerClass().getName());
    assertThat(classes.get(JobClasses.PARTITIONER)).isEqualTo(job.getPartitionerClass().getName());
    assertThat(classes.get(JobClasses.OUTPUT_FORMAT))
        .isEqualTo(job.getOutputFormat().getClass().getName());
  }

  @Test
  void mapOutputIsOfTheOutputsTypesUnlessItIsSaidToDiffer() {
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setMapOutputValueClass(IntWritable.class);

    JobClasses classes = JobClasses.of(job);

    assertThat(classes.get(JobClasses.MAP_KEY)).isEqualTo(job.getMapOutputKeyClass().getName());
    assertThat(classes.get(JobClasses.MAP_KEY)).isEqualTo(Text.class.getName());
    assertThat(classes.get(JobClasses.MAP_VALUE)).isEqualTo(IntWritable.class.getName());
    assertThat(classes.get(JobClasses.OUTPUT_VALUE)).isEqualTo(Text.class.getName());
  }

  @Test
  void theOldApisCombinerComesFirstAsInStock() {
    job.setUseNewMapper(true);
    job.setClass(MRJobConfig.COMBINE_CLASS_ATTR, IntSumReducer.class, Reducer.class);
    assertThat(JobClasses.of(job).get(JobClasses.COMBINER))
        .isEqualTo(IntSumReducer.class.getName());

    job.setCombinerClass(LongSumReducer.class);

    assertThat(JobClasses.of(job).get(JobClasses.COMBINER))
        .isEqualTo(LongSumReducer.class.getName());
  }

  @Test
  void mapAndReduceMayUseDifferentApis() {
    job.setUseNewMapper(true);
    job.setUseNewReducer(false);

    JobClasses classes = JobClasses.of(job);

    assertThat(classes.get(JobClasses.MAPPER))
        .isEqualTo(org.apache.hadoop.mapreduce.Mapper.class.getName());
    assertThat(classes.get(JobClasses.REDUCER))
        .isEqualTo(org.apache.hadoop.mapred.lib.IdentityReducer.class.getName());
  }

  @Test
  void namesAreTrimmedAndBlankOnesAreAbsent() {
    job.set(MRJobConfig.KEY_COMPARATOR, "  some.Comparator\n");
    job.set(MRJobConfig.GROUP_COMPARATOR_CLASS, "  ");

    JobClasses classes = JobClasses.of(job);

    assertThat(classes.get(JobClasses.SORT_COMPARATOR)).isEqualTo("some.Comparator");
    assertThat(classes.get(JobClasses.GROUPING_COMPARATOR)).isNull();
  }
}
