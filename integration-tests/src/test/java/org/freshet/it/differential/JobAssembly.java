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
package org.freshet.it.differential;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.freshet.it.jobs.NewMappers;
import org.freshet.it.jobs.Partitioners;
import org.freshet.it.jobs.SortOrders;
import org.freshet.it.jobs.WordPair;

/**
 * Turns a {@link RandomJob} into the configuration that a user's main method would have built.
 * Stateless.
 */
final class JobAssembly {
  private JobAssembly() {}

  /**
   * The configuration of one run.
   *
   * @param base the cluster's configuration and the framework; not changed
   * @param inputs the comma-separated input paths
   * @param jar the job jar for jobs that have one
   */
  static JobConf assemble(RandomJob job, JobConf base, String inputs, Path output, Path jar)
      throws IOException {
    JobConf conf = new JobConf(base);
    conf.setJobName(output.getFileName().toString());
    if (job.packed()) {
      conf.setJar(jar.toUri().toString());
    }
    FileInputFormat.setInputPaths(conf, inputs);
    FileOutputFormat.setOutputPath(conf, new org.apache.hadoop.fs.Path(output.toString()));
    conf.setBoolean(
        org.apache.hadoop.mapreduce.lib.input.FileInputFormat.INPUT_DIR_RECURSIVE,
        job.select() == RandomJob.Select.RECURSIVE);
    conf.setNumReduceTasks(job.reduces());
    conf.set("it.salt", job.salt());
    input(job, conf);
    mapSide(job, conf);
    reduceSide(job, conf);
    return output(job, conf);
  }

  private static void input(RandomJob job, JobConf conf) {
    if (job.api().newMap) {
      conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, job.input().newClass.getName());
    } else {
      conf.set("mapred.input.format.class", job.input().oldClass.getName());
    }
    conf.setInt(
        org.apache.hadoop.mapreduce.lib.input.FileInputFormat.SPLIT_MAXSIZE, job.splitBytes());
    // The old API knows no largest split: it aims at a number of splits.
    conf.setNumMapTasks(job.splitBytes() > 1 << 20 ? 1 : 5);
    conf.setInt(NLineInputFormat.LINES_PER_MAP, 40);
    conf.setInt(FixedLengthInputFormat.FIXED_RECORD_LENGTH, InputKind.RECORD_BYTES);
    conf.set(
        job.api().newMap ? "avro.schema.input.key" : "avro.input.schema",
        InputFile.SCHEMA.toString());
    if (!job.delimiter().isEmpty()) {
      conf.set("textinputformat.record.delimiter", job.delimiter());
    }
  }

  private static void mapSide(RandomJob job, JobConf conf) {
    if (!job.api().newMap) {
      conf.set("mapred.mapper.class", job.map().oldClass.getName());
    } else if (job.threads() > 1) {
      conf.set(MRJobConfig.MAP_CLASS_ATTR, MultithreadedMapper.class.getName());
      conf.setClass(
          MultithreadedMapper.MAP_CLASS,
          NewMappers.Tokens.class,
          org.apache.hadoop.mapreduce.Mapper.class);
      conf.setInt(MultithreadedMapper.NUM_THREADS, job.threads());
    } else if (job.map() != MapKind.IDENTITY) {
      conf.set(MRJobConfig.MAP_CLASS_ATTR, job.map().newClass.getName());
    }
    conf.setMapOutputKeyClass(job.map().output.key);
    conf.setMapOutputValueClass(job.map().output.value);
    if (job.reduces() > 0) {
      partitioner(job, conf);
    }
    switch (job.sort()) {
      case NATURAL -> {}
      case DESCENDING -> conf.setOutputKeyComparatorClass(job.map().output.descending);
      case CASE_INSENSITIVE ->
          conf.setOutputKeyComparatorClass(SortOrders.CaseInsensitiveText.class);
    }
    if (job.grouped()) {
      conf.setOutputValueGroupingComparator(WordPair.ByWord.class);
    }
    switch (job.codec()) {
      case NONE -> {}
      case DEFLATE -> conf.setMapOutputCompressorClass(DefaultCodec.class);
      case GZIP -> conf.setMapOutputCompressorClass(GzipCodec.class);
      case BZIP2 -> conf.setMapOutputCompressorClass(BZip2Codec.class);
    }
    conf.setCompressMapOutput(job.codec() != RandomJob.MapCodec.NONE);
  }

  private static void partitioner(RandomJob job, JobConf conf) {
    Class<?> partitioner =
        switch (job.partition()) {
          case HASH -> null;
          case BY_LENGTH -> Partitioners.ByLength.class;
          case ALL_TO_LAST -> Partitioners.AllToLast.class;
          case BY_WORD -> Partitioners.ByWord.class;
        };
    if (partitioner != null) {
      conf.set(
          job.api().newMap ? MRJobConfig.PARTITIONER_CLASS_ATTR : "mapred.partitioner.class",
          partitioner.getName());
    }
  }

  private static void reduceSide(RandomJob job, JobConf conf) {
    boolean newApi = job.api().newReduce;
    if (job.reduces() == 0) {
      conf.setOutputKeyClass(job.map().output.key);
      conf.setOutputValueClass(job.map().output.value);
      return;
    }
    conf.setOutputKeyClass(job.reduce().outputKey(job.map().output));
    conf.setOutputValueClass(job.reduce().outputValue(job.map().output));
    if (!newApi) {
      conf.set("mapred.reducer.class", job.reduce().oldClass.getName());
    } else if (job.reduce() != ReduceKind.IDENTITY) {
      conf.set(MRJobConfig.REDUCE_CLASS_ATTR, job.reduce().newClass.getName());
    }
    job.combiner()
        .ifPresent(
            c ->
                conf.set(
                    newApi ? MRJobConfig.COMBINE_CLASS_ATTR : "mapred.combiner.class",
                    (newApi ? c.newClass : c.oldClass).getName()));
  }

  private static JobConf output(RandomJob job, JobConf conf) throws IOException {
    boolean newApi = job.reduces() == 0 ? job.api().newMap : job.api().newReduce;
    boolean sequence =
        switch (job.output()) {
          case TEXT, TEXT_GZIP, TEXT_BZIP2 -> false;
          case SEQUENCE, SEQUENCE_BLOCK -> true;
        };
    Class<?> newFormat =
        sequence
            ? org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat.class
            : org.apache.hadoop.mapreduce.lib.output.TextOutputFormat.class;
    Class<?> oldFormat =
        sequence
            ? org.apache.hadoop.mapred.SequenceFileOutputFormat.class
            : org.apache.hadoop.mapred.TextOutputFormat.class;
    if (newApi) {
      conf.set(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, newFormat.getName());
    } else {
      conf.set("mapred.output.format.class", oldFormat.getName());
    }
    switch (job.output()) {
      case TEXT, SEQUENCE -> {}
      case TEXT_GZIP -> compress(conf, GzipCodec.class);
      case TEXT_BZIP2 -> compress(conf, BZip2Codec.class);
      case SEQUENCE_BLOCK -> {
        compress(conf, DefaultCodec.class);
        org.apache.hadoop.mapred.SequenceFileOutputFormat.setOutputCompressionType(
            conf, CompressionType.BLOCK);
      }
    }
    return job.reduces() > 0 && job.reduce() == ReduceKind.MULTIPLE_SUM
        ? namedOutput(conf, newApi, newFormat, oldFormat)
        : conf;
  }

  private static void compress(JobConf conf, Class<? extends CompressionCodec> codec) {
    FileOutputFormat.setCompressOutput(conf, true);
    FileOutputFormat.setOutputCompressorClass(conf, codec);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static JobConf namedOutput(JobConf conf, boolean newApi, Class newFormat, Class oldFormat)
      throws IOException {
    Class key = conf.getOutputKeyClass();
    Class value = conf.getOutputValueClass();
    if (!newApi) {
      org.apache.hadoop.mapred.lib.MultipleOutputs.addNamedOutput(
          conf, "named", oldFormat, key, value);
      return conf;
    }
    Job job = Job.getInstance(conf);
    MultipleOutputs.addNamedOutput(job, "named", newFormat, key, value);
    MultipleOutputs.setCountersEnabled(job, true);
    return (JobConf) job.getConfiguration();
  }
}
