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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.tracing.TraceScope;
import org.apache.hadoop.tracing.Tracer;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.FileIndexer;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails under a writer must not give a wrong index. */
@Timeout(120)
class WriteFaultsTest {
  private static final byte[] CONTENT = Content.text(1, 5_000_000);

  @Test
  void aDataNodeLostWhileWritingCostsNothing() throws Exception {
    try (MiniDFSCluster cluster = start(3, -1);
        FileSystem fs = client(cluster, 2)) {
      Path file = new Path("/file");
      FSDataOutputStream out = fs.create(file);
      out.write(CONTENT, 0, 1_300_000);
      out.hflush();
      DatanodeInfo[] pipeline = lastBlock(cluster, file).getLocations();
      cluster.stopDataNode(pipeline[0].getXferAddr());
      out.write(CONTENT, 1_300_000, 200_000);
      out.hflush();
      out.write(CONTENT, 1_500_000, CONTENT.length - 1_500_000);
      out.close();
      assertThat(read(cluster, file)).isEqualTo(CONTENT);
      assertThat(kept(cluster, file)).contains(new Kept(CONTENT).chunks());
    }
  }

  /** Others may look at a stream while its closer waits for DataNodes; stock lets them. */
  @Test
  void aStreamThatIsBeingClosedAnswers() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    DataNodeFaultInjector before = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(
        new DataNodeFaultInjector() {
          @Override
          public void delayAckLastPacket() throws IOException {
            closing.countDown();
            try {
              asked.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              throw new InterruptedIOException();
            }
          }
        });
    ExecutorService closer = Executors.newSingleThreadExecutor();
    try (MiniDFSCluster cluster = start(1, -1);
        FileSystem fs = client(cluster, 1)) {
      Path file = new Path("/file");
      FSDataOutputStream out = fs.create(file);
      out.write(CONTENT, 0, 10_000);
      Future<?> closed =
          closer.submit(
              () -> {
                out.close();
                return null;
              });
      assertThat(closing.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(out.getPos()).isEqualTo(10_000);
      assertThat(out.getWrappedStream()).isInstanceOf(DFSOutputStream.class);
      assertThat(closed.isDone()).isFalse();
      asked.countDown();
      closed.get(30, TimeUnit.SECONDS);
      assertThat(read(cluster, file)).isEqualTo(Arrays.copyOf(CONTENT, 10_000));
    } finally {
      asked.countDown();
      DataNodeFaultInjector.set(before);
      closer.shutdownNow();
    }
  }

  @Test
  void aKilledClientLeavesAReadableFileWithoutAnIndex() throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        IncrementalFileSystem fs = client(cluster, 1)) {
      Path file = new Path("/file");
      int flushed = 2_345_678;
      Process writer =
          new ProcessBuilder(
                  java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  KilledWriter.class.getName(),
                  cluster.getURI().toString(),
                  file.toString(),
                  String.valueOf(flushed),
                  "500000")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader said =
          new BufferedReader(
              new InputStreamReader(writer.getInputStream(), StandardCharsets.US_ASCII))) {
        String line = said.readLine();
        while (line != null && !line.equals(KilledWriter.READY)) {
          line = said.readLine();
        }
        assertThat(line).isEqualTo(KilledWriter.READY);
      } finally {
        writer.destroyForcibly();
        assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
      recover(cluster.getFileSystem(), file);
      byte[] left = read(cluster, file);
      assertThat(left.length).isGreaterThanOrEqualTo(flushed);
      assertThat(left).isEqualTo(Arrays.copyOf(Content.text(1, flushed + 500_000), left.length));
      assertThat(kept(cluster, file)).isEmpty();

      Configuration conf = new Configuration(cluster.getFileSystem().getConf());
      conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), MiniHdfs.AVERAGE_CHUNK);
      try (FileIndexer indexer = new FileIndexer(conf, 1, read -> {})) {
        indexer.index(List.of(cluster.getFileSystem().getFileStatus(file)), done -> {});
      }
      assertThat(kept(cluster, file)).contains(new Kept(left).chunks());
    }
  }

  @Test
  void theNameNodeMayRestartWhileAFileIsWrittenAndAfterwards() throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        IncrementalFileSystem fs = client(cluster, 1)) {
      Path file = new Path("/file");
      FSDataOutputStream out = fs.create(file);
      out.write(CONTENT, 0, 1_500_000);
      out.hflush();
      cluster.restartNameNode(true);
      out.write(CONTENT, 1_500_000, CONTENT.length - 1_500_000);
      out.close();
      assertThat(read(cluster, file)).isEqualTo(CONTENT);
      assertThat(kept(cluster, file)).contains(new Kept(CONTENT).chunks());
      cluster.restartNameNode(true);
      assertThat(kept(cluster, file)).contains(new Kept(CONTENT).chunks());
    }
  }

  @Test
  void ofTwoWritersTheLastOneHasTheIndex() throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        FileSystem first = client(cluster, 1);
        FileSystem second = client(cluster, 1)) {
      Path file = new Path("/file");
      FSDataOutputStream lost = first.create(file);
      lost.write(CONTENT, 0, 3_000_000);
      assertThatThrownBy(() -> second.append(file)).isInstanceOf(IOException.class);
      byte[] other = Content.text(2, 2_000_000);
      FSDataOutputStream won = second.create(file, true);
      won.write(other);
      assertThatThrownBy(
              () -> {
                lost.write(CONTENT, 3_000_000, 2_000_000);
                lost.close();
              })
          .isInstanceOf(IOException.class);
      won.close();
      assertThat(read(cluster, file)).isEqualTo(other);
      assertThat(kept(cluster, file)).contains(new Kept(other).chunks());
    }
  }

  @Test
  void aFullDiskFailsTheWriterAndLeavesNoIndex() throws Exception {
    try (MiniDFSCluster cluster = start(1, 4 << 20);
        FileSystem fs = client(cluster, 1)) {
      Path file = new Path("/file");
      FSDataOutputStream out = fs.create(file);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10; i++) {
                  out.write(CONTENT);
                }
                out.close();
              })
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
      try {
        out.close();
      } catch (IOException e) {
        assertThat(e).isNotNull();
      }
      recover(cluster.getFileSystem(), file);
      assertThat(kept(cluster, file)).isEmpty();
    }
  }

  @Test
  void aQuotaExceededIsToldAndLeavesNoIndex() throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        FileSystem fs = client(cluster, 1)) {
      Path dir = new Path("/dir");
      cluster.getFileSystem().mkdirs(dir);
      cluster.getFileSystem().setQuota(dir, HdfsConstants.QUOTA_DONT_SET, 3 * MiniHdfs.BLOCK_BYTES);
      Path file = new Path(dir, "file");
      assertThatThrownBy(
              () -> {
                try (FSDataOutputStream out = fs.create(file)) {
                  out.write(CONTENT);
                }
              })
          .hasStackTraceContaining("DSQuotaExceededException");
      assertThat(kept(cluster, file)).isEmpty();
    }
  }

  @Test
  void anInterruptedWriterMayGoOn() throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        FileSystem fs = client(cluster, 1)) {
      Path file = new Path("/file");
      try (FSDataOutputStream out = fs.create(file)) {
        for (int at = 0; at < CONTENT.length; at += 100_000) {
          Thread.currentThread().interrupt();
          out.write(CONTENT, at, 100_000);
          assertThat(Thread.interrupted()).isTrue();
        }
      }
      assertThat(read(cluster, file)).isEqualTo(CONTENT);
      assertThat(kept(cluster, file)).contains(new Kept(CONTENT).chunks());
    }
  }

  /** Like lack of memory in stock's code: some bytes may be lost, so none may follow. */
  @Test
  void nothingFollowsBytesThatAnErrorHasLost() throws Exception {
    losesBytesToAnError(
        out -> {
          assertThatThrownBy(out::hflush).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> out.write(CONTENT, 300_000, 100_000))
              .isInstanceOf(IOException.class)
              .hasRootCauseMessage("This write is meant to fail");
          assertThatThrownBy(out::close).isInstanceOf(IOException.class);
        });
  }

  @Test
  void aStreamWhoseLastBytesAreLostToAnErrorIsClosed() throws Exception {
    losesBytesToAnError(
        out ->
            assertThatThrownBy(out::close)
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("This write is meant to fail"));
  }

  /**
   * @param closes is given a stream with bytes that will fail to be written, and closes it
   */
  private static void losesBytesToAnError(Consumer<FSDataOutputStream> closes) throws Exception {
    try (MiniDFSCluster cluster = start(1, -1);
        IncrementalFileSystem fs = client(cluster, 1)) {
      AtomicBoolean fails = failingWrite(fs);
      Path file = new Path("/file");
      FSDataOutputStream out = fs.create(file);
      out.write(CONTENT, 0, 300_000);
      fails.set(true);
      closes.accept(out);
      assertThat(cluster.getFileSystem().isFileClosed(file)).isTrue();
      assertThat(kept(cluster, file)).isEmpty();
      out.close();
    }
  }

  /** Has the next of stock's writes fail in the writer's thread when what is returned is set. */
  private static AtomicBoolean failingWrite(DistributedFileSystem fs)
      throws ReflectiveOperationException {
    AtomicBoolean fails = new AtomicBoolean();
    Field tracer = DFSClient.class.getDeclaredField("tracer");
    tracer.setAccessible(true);
    tracer.set(
        fs.getClient(),
        new Tracer("failing") {
          @Override
          public TraceScope newScope(String description) {
            if (description.equals("DFSOutputStream#write") && fails.getAndSet(false)) {
              throw new IllegalStateException("This write is meant to fail");
            }
            return super.newScope(description);
          }
        });
    return fails;
  }

  /** What an index of content must hold. */
  private record Kept(byte[] content) {
    List<Chunk> chunks() throws IOException {
      return new Chunker(chunker()).chunk(content);
    }
  }

  private static ChunkerConfig chunker() {
    Configuration conf = new Configuration(false);
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), MiniHdfs.AVERAGE_CHUNK);
    return WriteSettings.of(conf).chunker();
  }

  /**
   * @param capacity of each DataNode in bytes; -1 for the disk's
   */
  private static MiniDFSCluster start(int dataNodes, long capacity) throws IOException {
    Configuration conf = MiniHdfs.quick(new Configuration());
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    conf.setInt("dfs.heartbeat.interval", 1);
    java.nio.file.Path base =
        Files.createTempDirectory(java.nio.file.Path.of("target").toAbsolutePath(), "faults");
    MiniDFSCluster.Builder builder =
        new MiniDFSCluster.Builder(conf, base.toFile()).numDataNodes(dataNodes);
    if (capacity >= 0) {
      builder.storagesPerDatanode(1).storageCapacities(new long[] {capacity});
    }
    MiniDFSCluster cluster = builder.build();
    cluster.waitActive();
    return cluster;
  }

  private static IncrementalFileSystem client(MiniDFSCluster cluster, int replication)
      throws IOException {
    Configuration conf = new Configuration(cluster.getConfiguration(0));
    conf.set("fs.hdfs.impl", IncrementalFileSystem.class.getName());
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), MiniHdfs.AVERAGE_CHUNK);
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 1);
    conf.setInt("dfs.replication", replication);
    return (IncrementalFileSystem) FileSystem.newInstance(cluster.getURI(), conf);
  }

  private static LocatedBlock lastBlock(MiniDFSCluster cluster, Path file) throws IOException {
    return cluster
        .getFileSystem()
        .getClient()
        .getLocatedBlocks(file.toString(), 0)
        .getLastLocatedBlock();
  }

  private static void recover(DistributedFileSystem fs, Path file)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!fs.recoverLease(file)) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(200);
    }
  }

  private static byte[] read(MiniDFSCluster cluster, Path file) throws IOException {
    try (FSDataInputStream in = cluster.getFileSystem().open(file)) {
      return in.readAllBytes();
    }
  }

  private static Optional<List<Chunk>> kept(MiniDFSCluster cluster, Path file) throws IOException {
    DistributedFileSystem fs = cluster.getFileSystem();
    Configuration conf = new Configuration(fs.getConf());
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), MiniHdfs.AVERAGE_CHUNK);
    return KeptIndex.of(conf, fs, file).map(KeptIndex::chunks);
  }
}
