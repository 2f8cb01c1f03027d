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

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.FreshetKeys;

/**
 * Where a running delta job finds and puts things, as its planner wrote it into the job's
 * configuration. All names are relative to the lineage's directory in the store.
 */
public final class RunPlaces {
  private static final String LINEAGE_DIR = "freshet.internal.lineage.dir";
  private static final String RUN = "freshet.internal.run";

  /**
   * The manifest's property with how many bytes before a chunk's ends its split lies; where it is
   * absent, one.
   */
  public static final String SPLIT_LAG = "split.lag";

  private RunPlaces() {}

  /** Records the places in a job's configuration. */
  static void set(Configuration conf, Path lineageDir, String runId) {
    conf.set(LINEAGE_DIR, lineageDir.toString());
    conf.set(RUN, runId);
  }

  /** Forgets a plan that will not be carried out. */
  static void unset(Configuration conf) {
    conf.unset(LINEAGE_DIR);
    conf.unset(RUN);
  }

  /** Whether the configuration is a planned delta job's. */
  public static boolean planned(Configuration conf) {
    return conf.get(RUN) != null;
  }

  public static Path lineageDir(Configuration conf) {
    return new Path(conf.get(LINEAGE_DIR));
  }

  public static String runId(Configuration conf) {
    return conf.get(RUN);
  }

  /** The run's private directory. */
  public static Path runDir(Configuration conf) {
    return new Path(lineageDir(conf), "runs/" + runId(conf));
  }

  /** What the reducers need to know of the plan. */
  public static Path reducePlan(Path runDir) {
    return new Path(runDir, "reduce.plan");
  }

  /** Splits that the manifest can't describe, read only when a memoized run is lost. */
  public static Path splitTable(Path runDir) {
    return new Path(runDir, "split.table");
  }

  /** The manifest as far as the client knows it. */
  public static Path draft(Path runDir) {
    return new Path(runDir, "manifest.draft");
  }

  public static String packName(Configuration conf, String attempt) {
    return "runs/" + runId(conf) + "/" + attempt + ".pack";
  }

  /** Name of the index and record that an attempt at a reduce writes. */
  public static String partitionName(Configuration conf, int partition, String attempt) {
    return "runs/" + runId(conf) + "/" + partitionPrefix(partition) + attempt + ".idx";
  }

  /** How the names of a partition's index files begin. */
  public static String partitionPrefix(int partition) {
    return String.format(Locale.ROOT, "p-%06d-", partition);
  }

  public static short replication(Configuration conf) {
    return (short) FreshetKeys.STORE_REPLICATION.getInt(conf, 1, 512);
  }
}
