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

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;

/** A process that writes and waits to be killed. */
public final class KilledWriter {
  static final String READY = "flushed";

  private KilledWriter() {}

  /**
   * @param arguments the NameNode, the file, how many bytes to flush, how many to write behind them
   */
  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.hdfs.impl", IncrementalFileSystem.class.getName());
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), MiniHdfs.AVERAGE_CHUNK);
    conf.setLong(HdfsKeys.WRITE_LEAST.name(), 1);
    conf.setInt("dfs.replication", 1);
    conf.setInt("dfs.blocksize", MiniHdfs.BLOCK_BYTES);
    int flushed = Integer.parseInt(arguments[2]);
    byte[] content = Content.text(1, flushed + Integer.parseInt(arguments[3]));
    FileSystem fs = FileSystem.get(URI.create(arguments[0]), conf);
    FSDataOutputStream out = fs.create(new Path(arguments[1]));
    out.write(content, 0, flushed);
    out.hflush();
    out.write(content, flushed, content.length - flushed);
    System.out.println(READY);
    System.in.read();
  }
}
