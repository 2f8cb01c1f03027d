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

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sets the statistics of our client to zero before each of Hadoop's own tests. Some do that to
 * those of the class {@code DistributedFileSystem}, and expect their client's to be zero then.
 */
public final class FreshStatistics implements BeforeEachCallback {
  @Override
  public void beforeEach(ExtensionContext test) {
    FileSystem.getStatistics(HdfsConstants.HDFS_URI_SCHEME, IncrementalFileSystem.class).reset();
  }
}
