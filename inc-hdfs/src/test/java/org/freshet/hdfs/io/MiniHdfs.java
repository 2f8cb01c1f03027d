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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.freshet.hdfs.HdfsKeys;

/** A NameNode and three DataNodes, stock, for all tests of this JVM. */
final class MiniHdfs {
  static final int DATA_NODES = 3;

  /** Sixteen average chunks. */
  static final int BLOCK_BYTES = 1 << 20;

  static final int AVERAGE_CHUNK = 64 << 10;

  private static MiniDFSCluster cluster;

  private MiniHdfs() {}

  static synchronized MiniDFSCluster cluster() throws IOException {
    if (cluster == null) {
      Configuration conf = quick(new Configuration());
      Path keys = Files.createTempDirectory("keys");
      conf.set("hadoop.security.key.provider.path", "jceks://file" + keys.resolve("test.jks"));
      Path base = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "dfs");
      cluster = new MiniDFSCluster.Builder(conf, base.toFile()).numDataNodes(DATA_NODES).build();
      cluster.waitActive();
    }
    return cluster;
  }

  /** Settings of a small cluster whose clients don't wait long for anything. */
  static Configuration quick(Configuration conf) {
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.blocksize", BLOCK_BYTES);
    conf.setInt("dfs.replication", 1);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5);
    return conf;
  }

  static DistributedFileSystem stock() throws IOException {
    return cluster().getFileSystem();
  }

  /** A client's settings: chunks of 64 KiB. */
  static Configuration conf() throws IOException {
    Configuration conf = new Configuration(cluster().getConfiguration(0));
    conf.set("fs.hdfs.impl", IncrementalFileSystem.class.getName());
    conf.set("fs.AbstractFileSystem.hdfs.impl", IncrementalHdfs.class.getName());
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), AVERAGE_CHUNK);
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 1);
    return conf;
  }

  static IncrementalFileSystem client() throws IOException {
    return client(conf());
  }

  static IncrementalFileSystem client(Configuration conf) throws IOException {
    return (IncrementalFileSystem) FileSystem.newInstance(cluster().getURI(), conf);
  }
}
