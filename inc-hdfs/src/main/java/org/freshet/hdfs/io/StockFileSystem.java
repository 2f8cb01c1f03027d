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

import java.lang.reflect.Field;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Hadoop's {@code DistributedFileSystem} does not let subclasses in other packages do. Proven
 * on Hadoop 3.5.0 by the tests of {@link IncrementalFileSystem}.
 */
final class StockFileSystem {
  private static final Logger LOG = LoggerFactory.getLogger(StockFileSystem.class);

  private StockFileSystem() {}

  /**
   * Gives a file system another client. Every way to open a file for writing leads through the
   * client, also the stream builders, whose class is final.
   *
   * @return false if that is not possible; the file system has the client that it had
   */
  static boolean setClient(DistributedFileSystem fs, DFSClient client) {
    try {
      Field field = DistributedFileSystem.class.getDeclaredField("dfs");
      field.setAccessible(true);
      field.set(fs, client);
      return fs.getClient() == client;
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.warn(
          "Freshet: files are written as by stock HDFS, this Hadoop's client being unknown", e);
      return false;
    }
  }
}
