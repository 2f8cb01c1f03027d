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
package org.freshet.it.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.freshet.it.cluster.MiniHadoop;

/**
 * What the DataNodes send to readers, by file and reader. For one thread, and one at a time.
 *
 * <p>It is more than what readers take: a DataNode sends to the end of the block, and is some
 * buffers ahead when the reader has enough.
 */
final class DataNodeReads implements AutoCloseable {
  /*
   * Taken from the DataNodes' own trace. Their metric BytesRead leaves out what was sent to a reader
   * that closed its connection before the end of the block, and tells neither file nor reader.
   */
  private static final Pattern READ =
      Pattern.compile("bytes: (\\d+), op: HDFS_READ, cliID: ([^,]+),.* blockid: [^,]*:blk_(\\d+)_");

  private static final String SENDING = "DataNodeReadActiveXceiversCount";
  private static final int POLL_MILLIS = 20;
  private static final int LIMIT_MILLIS = 30_000;

  private final MiniHadoop hadoop;
  private final Logger trace = LogManager.getLogger(DataNode.class.getName() + ".clienttrace");
  private final Level level = trace.getLevel();
  private final boolean additivity = trace.getAdditivity();
  private final List<Read> reads = new ArrayList<>();
  private final AppenderSkeleton appender =
      new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
          Matcher read = READ.matcher(event.getRenderedMessage());
          if (read.find()) {
            add(
                new Read(
                    Long.parseLong(read.group(1)), read.group(2), Long.parseLong(read.group(3))));
          }
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
          return false;
        }
      };

  private record Read(long bytes, String client, long block) {
    boolean byTask() {
      return client.startsWith("DFSClient_attempt_");
    }
  }

  /** Begins to listen. */
  DataNodeReads(MiniHadoop hadoop) {
    this.hadoop = hadoop;
    trace.setLevel(Level.DEBUG);
    trace.setAdditivity(false);
    trace.addAppender(appender);
  }

  private synchronized void add(Read read) {
    reads.add(read);
  }

  /** Forgets what was read until now. */
  void reset() throws InterruptedException, TimeoutException {
    awaitEnd();
    synchronized (this) {
      reads.clear();
    }
  }

  /** Bytes that tasks of jobs were sent of the files at or below {@code path}. */
  long byTasks(Path path) throws IOException, InterruptedException, TimeoutException {
    return sum(path, true);
  }

  /** Bytes that others were sent of them: clients that submit jobs, daemons. */
  long byOthers(Path path) throws IOException, InterruptedException, TimeoutException {
    return sum(path, false);
  }

  private long sum(Path path, boolean byTasks)
      throws IOException, InterruptedException, TimeoutException {
    awaitEnd();
    Set<Long> blocks = blocks(path);
    synchronized (this) {
      return reads.stream()
          .filter(read -> read.byTask() == byTasks && blocks.contains(read.block()))
          .mapToLong(Read::bytes)
          .sum();
    }
  }

  private Set<Long> blocks(Path path) throws IOException {
    DistributedFileSystem hdfs = hadoop.hdfs();
    Set<Long> blocks = new HashSet<>();
    RemoteIterator<LocatedFileStatus> files = hdfs.listFiles(path, true);
    while (files.hasNext()) {
      HdfsLocatedFileStatus file = (HdfsLocatedFileStatus) files.next();
      for (LocatedBlock block : file.getLocatedBlocks().getLocatedBlocks()) {
        blocks.add(block.getBlock().getBlockId());
      }
    }
    return blocks;
  }

  /** A DataNode traces a read when it has noticed that the reader is gone. */
  private void awaitEnd() throws InterruptedException, TimeoutException {
    GenericTestUtils.waitFor(
        () -> hadoop.dataNodes().stream().allMatch(node -> sending(node) == 0),
        POLL_MILLIS,
        LIMIT_MILLIS,
        "DataNodes are still sending");
  }

  private static int sending(DataNode node) {
    MetricsSource source = DefaultMetricsSystem.instance().getSource(node.getMetrics().name());
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    source.getMetrics(collector, true);
    for (MetricsRecord metrics : collector.getRecords()) {
      for (AbstractMetric metric : metrics.metrics()) {
        if (metric.name().equals(SENDING)) {
          return metric.value().intValue();
        }
      }
    }
    throw new IllegalStateException("no metric " + SENDING);
  }

  @Override
  public void close() {
    trace.removeAppender(appender);
    trace.setAdditivity(additivity);
    trace.setLevel(level);
  }
}
