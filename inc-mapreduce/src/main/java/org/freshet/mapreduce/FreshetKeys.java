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
package org.freshet.mapreduce;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.ConfigKey;

/**
 * Every configuration key of incremental MapReduce that is not one of files and their chunks, which
 * are {@link org.freshet.hdfs.HdfsKeys}, in one place. The reference page {@code
 * docs/configuration.md} is generated from {@link #ALL}.
 */
public final class FreshetKeys {
  /** The value of {@code mapreduce.framework.name} that turns Freshet on. */
  public static final String FRAMEWORK = "freshet";

  /** Whether a mapper can see where its records came from: found out or declared. */
  public enum PositionSensitivity {
    AUTO,
    TRUE,
    FALSE
  }

  /** What to do when a job's code may depend on more than its input and configuration. */
  public enum CodeHazards {
    FALLBACK,
    IGNORE
  }

  /** When a delta job runs inside its application master. */
  public enum Uber {
    AUTO,
    NEVER
  }

  public static final ConfigKey ENABLED =
      new ConfigKey(
          "freshet.enabled",
          ConfigKey.Type.BOOLEAN,
          "true",
          "true, false",
          "Whether jobs are made incremental; false hands every job to the delegate untouched.");

  public static final ConfigKey DELEGATE =
      new ConfigKey(
          "freshet.delegate",
          ConfigKey.Type.CHOICE,
          "",
          "yarn, local; empty: what the cluster's site files name",
          "The framework that runs the tasks underneath.");

  public static final ConfigKey STORE =
      new ConfigKey(
          "freshet.store",
          ConfigKey.Type.PATH,
          "",
          "a path on any Hadoop file system; empty: .freshet/store in the user's home directory",
          "Where memoized results, manifests and chunk indexes are kept.");

  public static final ConfigKey STORE_REPLICATION =
      new ConfigKey(
          "freshet.store.replication",
          ConfigKey.Type.INTEGER,
          "2",
          "1 to 512",
          "HDFS replication of what the store holds; lost data is computed again.");

  public static final ConfigKey STRICT =
      new ConfigKey(
          "freshet.strict",
          ConfigKey.Type.BOOLEAN,
          "false",
          "true, false",
          "Whether a job that can't run incrementally fails instead of running as stock.");

  public static final ConfigKey CHUNK_THREADS =
      new ConfigKey(
          "freshet.chunk.threads",
          ConfigKey.Type.INTEGER,
          "0",
          "1 to 256; 0: one for each processor of the client",
          "Threads that chunk new input in the submitting client.");

  public static final ConfigKey TREE_FAN_IN =
      new ConfigKey(
          "freshet.tree.fan.in",
          ConfigKey.Type.INTEGER,
          "8",
          "2 to 1024",
          "Mean number of children of a node of the contraction tree; at most four times as many.");

  public static final ConfigKey POSITION_SENSITIVE =
      new ConfigKey(
          "freshet.mapper.position.sensitive",
          ConfigKey.Type.CHOICE,
          "auto",
          "auto, true, false",
          "Whether the mapper's output depends on where a record stood; auto reads its bytecode.");

  public static final ConfigKey CODE_HAZARDS =
      new ConfigKey(
          "freshet.code.hazards",
          ConfigKey.Type.CHOICE,
          "fallback",
          "fallback, ignore",
          "What becomes of code that may read clocks, random numbers or outside data: under fallback,"
              + " a job whose map side does runs as stock, and every reduce runs of one whose reduce"
              + " side does.");

  public static final ConfigKey UBER =
      new ConfigKey(
          "freshet.uber",
          ConfigKey.Type.CHOICE,
          "auto",
          "auto, never",
          "Whether a small delta job runs inside its application master.");

  public static final ConfigKey RETAIN_RUNS =
      new ConfigKey(
          "freshet.retain.runs",
          ConfigKey.Type.INTEGER,
          "3",
          "1 to 1000",
          "How many runs of a lineage keep their memoized results.");

  public static final ConfigKey KEEP_OUTPUT =
      new ConfigKey(
          "freshet.keep.output.bytes",
          ConfigKey.Type.BYTES,
          "16777216",
          "0 to 1t",
          "Outputs of a reduce up to this size are also kept in the store, so that a run whose"
              + " previous output was deleted needs no reduce; 0 keeps none.");

  /** All keys, in the order of the reference page. */
  public static final List<ConfigKey> ALL =
      List.of(
          ENABLED,
          DELEGATE,
          STORE,
          STORE_REPLICATION,
          STRICT,
          CHUNK_THREADS,
          TREE_FAN_IN,
          POSITION_SENSITIVE,
          CODE_HAZARDS,
          UBER,
          RETAIN_RUNS,
          KEEP_OUTPUT);

  private FreshetKeys() {}

  /** The root of the memo store, fully qualified. */
  public static Path store(Configuration conf) throws IOException {
    String configured = STORE.get(conf);
    Path path;
    if (configured.isEmpty()) {
      path = new Path(FileSystem.get(conf).getHomeDirectory(), ".freshet/store");
    } else {
      path = new Path(configured);
    }
    return path.getFileSystem(conf).makeQualified(path);
  }
}
