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
package org.freshet.it.jobs;

import org.apache.hadoop.examples.WordCount;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Hadoop's own word count. */
public final class StockWordCount {
  private StockWordCount() {}

  /** Sets the job up as the main method of {@link WordCount} does. */
  public static void configure(JobConf conf) {
    conf.setJarByClass(WordCount.class);
    conf.set(MRJobConfig.MAP_CLASS_ATTR, WordCount.TokenizerMapper.class.getName());
    conf.set(MRJobConfig.COMBINE_CLASS_ATTR, WordCount.IntSumReducer.class.getName());
    conf.set(MRJobConfig.REDUCE_CLASS_ATTR, WordCount.IntSumReducer.class.getName());
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
    conf.setNumReduceTasks(2);
    // A slow machine would start second attempts; tests count attempts and what they read.
    conf.setSpeculativeExecution(false);
  }
}
