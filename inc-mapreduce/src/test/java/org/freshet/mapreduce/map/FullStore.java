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
package org.freshet.mapreduce.map;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A local file system, of scheme {@code full}, whose files take 1000 bytes and no more. */
public final class FullStore extends RawLocalFileSystem {
  static void use(Configuration conf) {
    conf.setClass("fs.full.impl", FullStore.class, RawLocalFileSystem.class);
    conf.setBoolean("fs.full.impl.disable.cache", true);
  }

  @Override
  public java.net.URI getUri() {
    return java.net.URI.create("full:///");
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return full(
        super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress));
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return full(super.create(file, overwrite, bufferSize, replication, blockSize, progress));
  }

  private static FSDataOutputStream full(FSDataOutputStream out) throws IOException {
    return new FSDataOutputStream(
        new OutputStream() {
          private int left = 1000;

          @Override
          public void write(int b) throws IOException {
            if (left-- <= 0) {
              throw new IOException("No space left on device");
            }
            out.write(b);
          }

          @Override
          public void close() throws IOException {
            out.close();
          }
        },
        null);
  }
}
