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
package org.freshet.mapreduce.plan;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.submit.JobRewrite;

/**
 * How Hadoop is to schedule a small delta job. Both choices are left alone where the user or a site
 * file has made one.
 */
final class DeltaScheduling {
  /** A delta up to this size, with one reduce, runs within its application master. */
  static final long UBER_BYTES = 64L << 20;

  static final int UBER_MAPS = 9;

  /**
   * Up to so many maps, stock starts the reduces when the first map has ended (its share of 5 %).
   */
  static final int FEW_MAPS = 20;

  private DeltaScheduling() {}

  static void apply(JobConf conf, Delta delta) {
    if (mayRunInMaster(conf, delta)) {
      setUnlessChosen(conf, MRJobConfig.JOB_UBERTASK_ENABLE, "true");
    }
    if (startsReducesEarly(delta)) {
      // As soon as each map has its container, or there is room for both: the reduces' JVMs start
      // while the few maps run, and take no container that a map waits for.
      setUnlessChosen(conf, MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, "0.0");
    }
  }

  private static boolean mayRunInMaster(JobConf conf, Delta delta) {
    return FreshetKeys.UBER.getChoice(conf, FreshetKeys.Uber.class) != FreshetKeys.Uber.NEVER
        && delta.mappedBytes() <= UBER_BYTES
        && delta.batches().size() <= UBER_MAPS
        && conf.getNumReduceTasks() <= 1;
  }

  private static boolean startsReducesEarly(Delta delta) {
    return delta.keptLeaves() > 0 && delta.batches().size() <= FEW_MAPS;
  }

  private static void setUnlessChosen(JobConf conf, String name, String value) {
    String[] sources = conf.getPropertySources(name);
    boolean stockDefault =
        sources == null
            || sources.length == 0
            || sources[sources.length - 1].endsWith("-default.xml");
    if (stockDefault) {
      JobRewrite.replace(conf, name, value);
    }
  }
}
