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
package org.freshet.it.harness;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Configurations for the local job runner, with and without Freshet. Stateless. */
public final class LocalHadoop {
  /** Read once: parsing the default files takes longer than a small job. */
  private static final JobConf DEFAULTS = defaults();

  private LocalHadoop() {}

  /**
   * Stock Hadoop.
   *
   * @param temporary where the job runner may keep its files
   */
  public static JobConf stock(Path temporary) {
    JobConf conf = new JobConf(DEFAULTS);
    conf.set("hadoop.tmp.dir", temporary.toString());
    return conf;
  }

  /**
   * Freshet over the local job runner, with chunks so small that kilobytes have many.
   *
   * @param temporary where the job runner may keep its files
   * @param store where memoized results go
   * @param chunkBytes the average chunk size, in bytes
   * @param fanIn the fan-in of the contraction tree
   */
  public static JobConf freshet(Path temporary, Path store, int chunkBytes, int fanIn) {
    JobConf conf = stock(temporary);
    conf.set(MRConfig.FRAMEWORK_NAME, "freshet");
    conf.set("freshet.delegate", "local");
    conf.set("freshet.store", store.toUri().toString());
    conf.setInt("freshet.chunk.average.bytes", chunkBytes);
    conf.setInt("freshet.chunk.min.bytes", Math.max(2, chunkBytes / 4));
    conf.setInt("freshet.chunk.max.bytes", chunkBytes * 4);
    conf.setInt("freshet.tree.fan.in", fanIn);
    return conf;
  }

  /**
   * Makes every user of the local file system in this JVM use {@link ForkFreeLocalFileSystem}: the
   * first one that is asked for is cached. To be called before anything else of Hadoop.
   */
  public static void useForkFreeLocalFileSystem() throws IOException {
    FileSystem local = FileSystem.getLocal(DEFAULTS);
    if (!(local instanceof ForkFreeLocalFileSystem)) {
      throw new IOException("the local file system was in use before: " + local.getClass());
    }
  }

  private static JobConf defaults() {
    JobConf conf = new JobConf();
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.set("fs.file.impl", ForkFreeLocalFileSystem.class.getName());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 2);
    conf.setInt(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY, 2);
    // The stock 100 MB would be zeroed for every map of a few lines.
    conf.setInt(MRJobConfig.IO_SORT_MB, 1);
    conf.size(); // Loads the default files here rather than in every copy.
    return conf;
  }
}
