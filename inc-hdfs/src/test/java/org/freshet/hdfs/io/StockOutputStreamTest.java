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

import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is used of Hadoop 3.5.0's own classes beyond what they show. */
@Timeout(60)
class StockOutputStreamTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksEndWhereTheyAreEndedAndTheLastOneIsTold(boolean pooledBuffers) throws Exception {
    assertThat(StockOutputStream.endsBlocksWithoutSync()).isTrue();
    Configuration conf = new Configuration(MiniHdfs.stock().getConf());
    // Streams share the buffers of their client's context.
    conf.set("dfs.client.context", "pooled-" + pooledBuffers);
    conf.setBoolean("dfs.client.write.byte-array-manager.enabled", pooledBuffers);
    conf.setInt("dfs.client.write.byte-array-manager.count-threshold", 1);
    conf.setInt("dfs.client.write.byte-array-manager.count-limit", 4);
    try (FileSystem stock = FileSystem.newInstance(MiniHdfs.stock().getUri(), conf)) {
      endBlocks((DistributedFileSystem) stock);
    }
  }

  @Test
  void whoIsInterruptedStaysSoAndEndsTheBlock() throws Exception {
    Path file = new Path("/interrupted");
    FSDataOutputStream out = MiniHdfs.stock().create(file);
    DFSOutputStream dfs = (DFSOutputStream) out.getWrappedStream();
    out.write(new byte[1000]);
    StockOutputStream.endBlock(dfs);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    out.write(new byte[1000]);
    Thread.currentThread().interrupt();
    StockOutputStream.endBlock(dfs);
    assertThat(Thread.interrupted()).isTrue();
    out.write(new byte[10]);
    out.close();
    FileStatus status = MiniHdfs.stock().getFileStatus(file);
    assertThat(MiniHdfs.stock().getFileBlockLocations(status, 0, status.getLen()))
        .extracting(BlockLocation::getLength)
        .containsExactly(1000L, 1000L, 10L);
  }

  /** Also one that ends within a checksum chunk, which is sent again after a flush. */
  @Test
  void whatWasFlushedBeforeIsInTheBlockOnce() throws Exception {
    Path file = new Path("/flushed");
    byte[] content = new byte[3000];
    new Random(4).nextBytes(content);
    try (FSDataOutputStream out = MiniHdfs.stock().create(file)) {
      DFSOutputStream dfs = (DFSOutputStream) out.getWrappedStream();
      out.write(content, 0, 700);
      out.hflush();
      StockOutputStream.endBlock(dfs);
      out.write(content, 700, 300);
      out.hsync();
      out.write(content, 1000, 100);
      StockOutputStream.endBlock(dfs);
      out.write(content, 1100, 1024);
      out.hflush();
      StockOutputStream.endBlock(dfs);
      out.hflush();
      out.write(content, 2124, 876);
    }
    FileStatus status = MiniHdfs.stock().getFileStatus(file);
    assertThat(MiniHdfs.stock().getFileBlockLocations(status, 0, status.getLen()))
        .extracting(BlockLocation::getLength)
        .containsExactly(700L, 400L, 1024L, 876L);
    byte[] read = new byte[3000];
    try (FSDataInputStream in = MiniHdfs.stock().open(file)) {
      in.readFully(read);
    }
    assertThat(read).isEqualTo(content);
  }

  private static void endBlocks(DistributedFileSystem stock) throws Exception {
    Path file = new Path("/stockOutputStream");
    int[] lengths = {1, 511, 512, 513, 100_000, MiniHdfs.BLOCK_BYTES - 1};
    FSDataOutputStream out = stock.create(file);
    DFSOutputStream dfs = (DFSOutputStream) out.getWrappedStream();
    assertThat(StockOutputStream.lastBlock(dfs)).isEmpty();
    for (int length : lengths) {
      out.write(new byte[length]);
      StockOutputStream.endBlock(dfs);
    }
    StockOutputStream.endBlock(dfs);
    out.close();
    FileStatus status = stock.getFileStatus(file);
    BlockLocation[] blocks = stock.getFileBlockLocations(status, 0, status.getLen());
    assertThat(blocks)
        .extracting(BlockLocation::getLength)
        .containsExactly(1L, 511L, 512L, 513L, 100_000L, MiniHdfs.BLOCK_BYTES - 1L);
    ExtendedBlock last =
        stock.getClient().getLocatedBlocks(file.toString(), 0).getLastLocatedBlock().getBlock();
    ExtendedBlock told = StockOutputStream.lastBlock(dfs).orElseThrow();
    assertThat(told.getBlockId()).isEqualTo(last.getBlockId());
    assertThat(told.getGenerationStamp()).isEqualTo(last.getGenerationStamp());
  }
}
