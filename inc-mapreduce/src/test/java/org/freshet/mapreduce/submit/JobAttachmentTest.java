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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapred.lib.TokenCountMapper;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFilter;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.map.BatchInputFormat;
import org.freshet.mapreduce.map.BatchMapRunner;
import org.freshet.mapreduce.map.BatchMapper;
import org.freshet.mapreduce.map.LeafCollector;
import org.freshet.mapreduce.plan.LeafNaming;
import org.freshet.mapreduce.reduce.ContractionShuffle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobAttachmentTest {
  private JobConf job;

  @BeforeEach
  void makeNewApiJob() {
    job = new JobConf();
    job.setUseNewMapper(true);
    job.setUseNewReducer(true);
    job.setClass(
        MRJobConfig.MAP_CLASS_ATTR,
        TokenCounterMapper.class,
        org.apache.hadoop.mapreduce.Mapper.class);
    job.setClass(
        MRJobConfig.REDUCE_CLASS_ATTR,
        IntSumReducer.class,
        org.apache.hadoop.mapreduce.Reducer.class);
  }

  private void makeOldApiJob() {
    job = new JobConf();
    job.setMapperClass(TokenCountMapper.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
  }

  private static Map<String, String> properties(JobConf conf) {
    Map<String, String> properties = new HashMap<>();
    conf.forEach(property -> properties.put(property.getKey(), property.getValue()));
    return properties;
  }

  @ParameterizedTest
  @CsvSource({
    "freshet.enabled, false, DISABLED",
    "mapreduce.job.reduces, 0, NO_REDUCE",
    "mapreduce.job.encrypted-intermediate-data, true, ENCRYPTED_INTERMEDIATE_DATA",
    "mapreduce.map.failures.maxpercent, 1, TOLERATES_FAILED_MAPS",
    "mapreduce.job.map.output.collector.class, some.Collector, CUSTOM_SHUFFLE",
    "mapreduce.job.reduce.shuffle.consumer.plugin.class, some.Shuffle, CUSTOM_SHUFFLE",
    "mapreduce.job.inputformat.class,"
        + " org.apache.hadoop.mapreduce.lib.input.DelegatingInputFormat, MULTIPLE_INPUTS",
    "mapreduce.job.outputformat.class, no.such.Format, LINEAGE_UNKNOWN"
  })
  void aJobThatMustRunAsStockIsLeftUntouched(String name, String value, FallbackReason reason) {
    job.set(name, value);
    Map<String, String> before = properties(job);

    assertThatThrownBy(() -> JobAttachment.attach(job, true))
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(reason.description());
    assertThat(properties(job)).isEqualTo(before);
  }

  @Test
  void aCommitterOfTheOldApisJobIsAReasonToRunAsStockAndTheStockOneIsNot() throws Exception {
    makeOldApiJob();
    job.setOutputCommitter(org.apache.hadoop.mapred.FileOutputCommitter.class);
    JobAttachment.attach(job, false);
    JobRewrite.undo(job);
    PreparedJob.forget(job);
    job.set("mapred.output.committer.class", "some.Committer");

    assertThatThrownBy(() -> JobAttachment.attach(job, false))
        .hasMessageContaining("CUSTOM_COMMITTER")
        .hasMessageContaining("some.Committer");
  }

  @Test
  void aBadValueOfAKeyIsNamed() {
    job.set("freshet.mapper.position.sensitive", "perhaps");

    assertThatThrownBy(() -> JobAttachment.attach(job, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("freshet.mapper.position.sensitive")
        .hasMessageContaining("perhaps")
        .hasMessageContaining("auto, true, false");
  }

  @Test
  void aNewApiJobGetsFreshetsClassesInThePlacesThatStockHas() throws Exception {
    JobAttachment.attach(job, false);

    assertThat(job.get(MRJobConfig.INPUT_FORMAT_CLASS_ATTR))
        .isEqualTo(BatchInputFormat.class.getName());
    assertThat(job.get(MRJobConfig.MAP_CLASS_ATTR)).isEqualTo(BatchMapper.class.getName());
    assertThat(job.get(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR))
        .isEqualTo(LeafCollector.class.getName());
    assertThat(job.get(MRConfig.SHUFFLE_CONSUMER_PLUGIN))
        .isEqualTo(ContractionShuffle.class.getName());
    assertThat(job.get(MRJobConfig.REDUCE_CLASS_ATTR)).isEqualTo(IntSumReducer.class.getName());
    assertThat(JobRewrite.userView(job).get(MRJobConfig.MAP_CLASS_ATTR))
        .isEqualTo(TokenCounterMapper.class.getName());
    PreparedJob.forget(job);
  }

  @Test
  void anOldApiJobKeepsItsMapperAndGetsARunner() throws Exception {
    makeOldApiJob();

    JobAttachment.attach(job, false);

    assertThat(job.get("mapred.mapper.class")).isEqualTo(TokenCountMapper.class.getName());
    assertThat(job.get("mapred.map.runner.class")).isEqualTo(BatchMapRunner.class.getName());
    assertThat(job.get(MRJobConfig.INPUT_FORMAT_CLASS_ATTR)).isNull();
    PreparedJob.forget(job);
  }

  @Test
  void whatIsPreparedIsThereUntilItIsForgotten() throws Exception {
    JobAttachment.attach(job, false);

    PreparedJob prepared = PreparedJob.of(job);

    assertThat(prepared.naming()).isEqualTo(LeafNaming.CONTENT);
    assertThat(prepared.classes().get(JobClasses.MAPPER))
        .isEqualTo(TokenCounterMapper.class.getName());
    assertThat(PreparedJob.of(job)).isSameAs(prepared);
    PreparedJob.forget(job);
    assertThatThrownBy(() -> PreparedJob.of(job)).isInstanceOf(IllegalStateException.class);
  }

  /** Its records depend on when they are written or read. */
  public static final class ClockOutputFormat
      extends org.apache.hadoop.mapreduce.lib.output.TextOutputFormat<Object, Object> {
    @Override
    public RecordWriter<Object, Object> getRecordWriter(TaskAttemptContext context)
        throws IOException, InterruptedException {
      RecordWriter<Object, Object> writer = super.getRecordWriter(context);
      writer.write(System.currentTimeMillis(), "");
      return writer;
    }
  }

  /** Lets through what its time of day allows. */
  public static final class ClockFilter implements SequenceFileInputFilter.Filter {
    private Configuration conf;

    @Override
    public boolean accept(Object key) {
      return System.currentTimeMillis() % 2 == 0;
    }

    @Override
    public void setConf(Configuration given) {
      conf = given;
    }

    @Override
    public Configuration getConf() {
      return conf;
    }
  }

  @Test
  void theFormatBehindALazyOneIsLookedAtAndDigested() throws Exception {
    job.setClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, LazyOutputFormat.class, OutputFormat.class);
    job.setClass(LazyOutputFormat.OUTPUT_FORMAT, ClockOutputFormat.class, OutputFormat.class);

    JobAttachment.attach(job, false);

    PreparedJob prepared = PreparedJob.of(job);
    assertThat(prepared.reduceHazard()).contains("ClockOutputFormat");
    assertThat(Lineage.facts(prepared.lineage().text()))
        .containsKey("code.of." + ClockOutputFormat.class.getName());
    PreparedJob.forget(job);
  }

  @Test
  void aStockFormatBehindALazyOneIsKnown() throws Exception {
    job.setClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, LazyOutputFormat.class, OutputFormat.class);
    job.setClass(
        LazyOutputFormat.OUTPUT_FORMAT,
        org.apache.hadoop.mapreduce.lib.output.TextOutputFormat.class,
        OutputFormat.class);

    JobAttachment.attach(job, false);

    assertThat(PreparedJob.of(job).reduceHazard()).isEmpty();
    PreparedJob.forget(job);
  }

  @Test
  void aFilterOfInputRecordsIsLookedAt() throws Exception {
    job.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR, SequenceFileInputFilter.class, InputFormat.class);
    job.setClass(
        SequenceFileInputFilter.FILTER_CLASS,
        SequenceFileInputFilter.MD5Filter.class,
        SequenceFileInputFilter.Filter.class);
    JobAttachment.attach(job, false);
    JobRewrite.undo(job);
    PreparedJob.forget(job);
    job.setClass(
        SequenceFileInputFilter.FILTER_CLASS,
        ClockFilter.class,
        SequenceFileInputFilter.Filter.class);

    assertThatThrownBy(() -> JobAttachment.attach(job, false))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CODE_HAZARD))
        .hasMessageContaining("ClockFilter");
  }

  @Test
  void aPartitionFileThatTheLineageDoesNotKnowIsAHazard() {
    job.set(MRJobConfig.PARTITIONER_CLASS_ATTR, TotalOrderPartitioner.class.getName());

    assertThatThrownBy(() -> JobAttachment.attach(job, false))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CODE_HAZARD))
        .hasMessageContaining("TotalOrderPartitioner");
  }

  @Test
  void aDeclarationOverridesWhatTheBytecodeSays() throws Exception {
    job.set("freshet.mapper.position.sensitive", "TRUE");
    JobAttachment.attach(job, false);

    PreparedJob prepared = PreparedJob.of(job);

    assertThat(prepared.naming()).isEqualTo(LeafNaming.PLACE);
    assertThat(prepared.namingReason()).contains("freshet.mapper.position.sensitive");
  }

  @Test
  void aJobThatFallsBackIsHandedBackUntouchedButForTheReason() throws Exception {
    Map<String, String> before = properties(job);
    JobAttachment.attach(job, false);

    Fallback.apply(job, new FallbackException(FallbackReason.INPUT_UNSTABLE, "f.txt"));

    assertThat(Fallback.reason(job)).isEqualTo(FallbackReason.INPUT_UNSTABLE);
    assertThat(Fallback.detail(job)).contains("f.txt").contains("changed while it was read");
    Map<String, String> after = properties(job);
    after.keySet().removeIf(name -> name.startsWith("freshet.internal.fallback."));
    assertThat(after).isEqualTo(before);
    assertThatThrownBy(() -> PreparedJob.of(job)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void underStrictAFallbackIsAnErrorThatNamesTheReasonAndTheKey() {
    job.setBoolean("freshet.strict", true);
    FallbackException cause = new FallbackException(FallbackReason.NO_REDUCE, "");

    assertThatThrownBy(() -> Fallback.apply(job, cause))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("freshet.strict")
        .hasMessageContaining("NO_REDUCE")
        .hasCause(cause);
    assertThat(Fallback.reason(job)).isEqualTo(FallbackReason.NO_REDUCE);
  }

  @Test
  void aJobThatDidNotFallBackHasNoReason() {
    assertThat(Fallback.reason(job)).isNull();
    assertThat(Fallback.detail(job)).isEmpty();
  }
}
