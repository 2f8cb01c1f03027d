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
package org.freshet.hdfs.io;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.slf4j.LoggerFactory;

/**
 * Counts what this JVM's clients wrote, for Hadoop's metrics system, as source {@value #NAME}. Safe
 * for use by several threads.
 */
public final class WriteMetrics implements MetricsSource {
  /** Name of the source and of its record. */
  public static final String NAME = "FreshetHdfsWrites";

  /** Those of this JVM. */
  static final WriteMetrics OF_THIS_JVM = registered();

  private final LongAdder filesIndexed = new LongAdder();
  private final LongAdder bytesIndexed = new LongAdder();
  private final LongAdder chunksIndexed = new LongAdder();
  private final LongAdder blocksCut = new LongAdder();
  private final Map<NoIndex, LongAdder> filesWithout = new EnumMap<>(NoIndex.class);

  private WriteMetrics() {
    for (NoIndex why : NoIndex.values()) {
      filesWithout.put(why, new LongAdder());
    }
  }

  private static WriteMetrics registered() {
    WriteMetrics metrics = new WriteMetrics();
    try {
      DefaultMetricsSystem.instance().register(NAME, "Files chunked while written", metrics);
    } catch (MetricsException e) {
      // A second copy of this class in the JVM, in another class loader.
      LoggerFactory.getLogger(WriteMetrics.class).debug("Freshet: no metrics", e);
    }
    return metrics;
  }

  void indexed(long bytes, long chunks) {
    filesIndexed.increment();
    bytesIndexed.add(bytes);
    chunksIndexed.add(chunks);
  }

  void notIndexed(NoIndex why) {
    filesWithout.get(why).increment();
  }

  void blockCut() {
    blocksCut.increment();
  }

  long notIndexedSoFar(NoIndex why) {
    return filesWithout.get(why).sum();
  }

  long blocksCutSoFar() {
    return blocksCut.sum();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(NAME);
    add(record, "FilesIndexed", "Files that got an index", filesIndexed);
    add(record, "BytesIndexed", "Length of those files", bytesIndexed);
    add(record, "ChunksIndexed", "Chunks of those files", chunksIndexed);
    add(record, "BlocksCut", "Blocks that were ended at a chunk cut", blocksCut);
    filesWithout.forEach(
        (why, count) ->
            add(record, "FilesWithout" + camelCase(why), "No index: " + why.reason(), count));
  }

  private static void add(MetricsRecordBuilder record, String name, String says, LongAdder count) {
    record.addCounter(Interns.info(name, says), count.sum());
  }

  private static String camelCase(NoIndex why) {
    StringBuilder name = new StringBuilder();
    for (String word : why.name().split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }
}
