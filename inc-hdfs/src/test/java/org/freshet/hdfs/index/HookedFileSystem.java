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

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/** The local file system, with something that happens whenever a file is opened. */
public final class HookedFileSystem extends LocalFileSystem {
  private static volatile OnOpen hook = path -> {};

  /** What happens. */
  @FunctionalInterface
  interface OnOpen {
    void opening(Path file) throws IOException;
  }

  static Configuration configuration(OnOpen onOpen) {
    hook = onOpen;
    Configuration conf = new Configuration();
    conf.setClass("fs.file.impl", HookedFileSystem.class, LocalFileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    return conf;
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    hook.opening(file);
    return super.open(file, bufferSize);
  }
}
