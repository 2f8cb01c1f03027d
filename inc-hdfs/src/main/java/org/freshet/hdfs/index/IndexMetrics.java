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
package org.freshet.hdfs.index;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.MetricsRegistry;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what becomes of look-ups and writings of chunk indexes in this process, as the metrics
 * source {@code FreshetChunkIndex}. Safe for use by several threads.
 */
final class IndexMetrics implements MetricsSource {
  private static final Logger LOG = LoggerFactory.getLogger(IndexMetrics.class);
  private static final String NAME = "FreshetChunkIndex";

  /** Those of this process. */
  static final IndexMetrics INSTANCE = register(new IndexMetrics());

  private final MetricsRegistry registry = new MetricsRegistry(NAME);
  private final MutableCounterLong found =
      registry.newCounter("Found", "Chunk indexes that were found and could be used", 0L);
  private final MutableCounterLong kept =
      registry.newCounter("Kept", "Chunk indexes that were written", 0L);
  private final Map<NoIndex, MutableCounterLong> notFound = new EnumMap<>(NoIndex.class);
  private final Map<NoIndex, MutableCounterLong> notKept = new EnumMap<>(NoIndex.class);

  IndexMetrics() {
    for (NoIndex reason : NoIndex.values()) {
      String name = camelCase(reason);
      String because = " because " + reason.description();
      notFound.put(
          reason, registry.newCounter("NotFound" + name, "Indexes not used" + because, 0L));
      notKept.put(reason, registry.newCounter("NotKept" + name, "Indexes not kept" + because, 0L));
    }
  }

  private static IndexMetrics register(IndexMetrics metrics) {
    try {
      DefaultMetricsSystem.instance()
          .register(NAME, "Chunk indexes of single files", (MetricsSource) metrics);
    } catch (MetricsException e) {
      // The same classes from another class loader were there before.
      LOG.debug("The metrics {} are not shown", NAME, e);
    }
    return metrics;
  }

  private static String camelCase(NoIndex reason) {
    StringBuilder name = new StringBuilder();
    for (String word : reason.name().split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }

  void found() {
    found.incr();
  }

  void kept() {
    kept.incr();
  }

  void notFound(NoIndex reason) {
    notFound.get(reason).incr();
  }

  void notKept(NoIndex reason) {
    notKept.get(reason).incr();
  }

  long count(NoIndex reason) {
    return notFound.get(reason).value() + notKept.get(reason).value();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    registry.snapshot(collector.addRecord(registry.info()), all);
  }
}
