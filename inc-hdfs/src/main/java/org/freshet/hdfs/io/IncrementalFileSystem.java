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
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * HDFS whose files are chunked while they are written. To be named in {@code fs.hdfs.impl}:
 *
 * <pre>{@code
 * <property>
 *   <name>fs.hdfs.impl</name>
 *   <value>org.freshet.hdfs.io.IncrementalFileSystem</value>
 * </property>
 * }</pre>
 *
 * <p>A file that matches {@link org.freshet.hdfs.HdfsKeys#WRITE_FILES} gets blocks that end at
 * chunk cuts, where it is replicated, and an index of its chunks when it is closed. All else is as
 * with stock HDFS, and everybody reads such files as any other. A file that can't have an index has
 * none; a line in the log at level debug, and a counter of {@link WriteMetrics}, say why.
 */
public class IncrementalFileSystem extends DistributedFileSystem {
  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    WriteSettings settings = WriteSettings.of(conf);
    DFSClient stock = getClient();
    DFSClient chunking = new ChunkingClient(uri, conf, statistics, new OpenStreams(this, settings));
    if (StockFileSystem.setClient(this, chunking)) {
      stock.close();
    } else {
      chunking.close();
    }
  }
}
