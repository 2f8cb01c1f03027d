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
package org.freshet.memo;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Progressable;

/** A file system that fails, refuses or runs a step of another process where a test says so. */
final class FaultyFileSystem extends FilterFileSystem {
  private long bytesFree = Long.MAX_VALUE;
  private boolean readOnly;
  private int refusedRenames;
  private String failingOpen;
  private String stepBeforeListing;
  private Step step;
  private final List<Path> opened = new ArrayList<>();

  /** What another process does. */
  interface Step {
    void run() throws IOException;
  }

  FaultyFileSystem(FileSystem fs) {
    super(fs);
  }

  /** Has room for so many more bytes; then fails as the local file system does. */
  void bytesFree(long bytes) {
    bytesFree = bytes;
  }

  void readOnly(boolean value) {
    readOnly = value;
  }

  /** Answers so many renames with "false". */
  void refuseRenames(int count) {
    refusedRenames = count;
  }

  /** Fails to open files of that name, or of any name if null was given before. */
  void failOpening(String name) {
    failingOpen = name;
  }

  /** Runs a step, once, just before a directory of that name is listed. */
  void beforeListing(String directory, Step action) {
    stepBeforeListing = directory;
    step = action;
  }

  List<Path> opened() {
    return opened;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    if (step != null && path.getName().equals(stepBeforeListing)) {
      Step now = step;
      step = null;
      now.run();
    }
    return super.listStatus(path);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    if (path.getName().equals(failingOpen)) {
      throw new IOException("no live data nodes for " + path);
    }
    opened.add(path);
    return super.open(path, bufferSize);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    requireWritable();
    if (refusedRenames > 0) {
      refusedRenames--;
      return false;
    }
    return super.rename(from, to);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    requireWritable();
    return super.delete(path, recursive);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    requireWritable();
    return super.mkdirs(path);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    requireWritable();
    return super.mkdirs(path, permission);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    requireWritable();
    FSDataOutputStream out =
        super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
    return new FSDataOutputStream(new Limited(out), null);
  }

  private void requireWritable() throws IOException {
    if (readOnly) {
      throw new AccessControlException("Permission denied");
    }
  }

  private final class Limited extends OutputStream {
    private final OutputStream out;

    Limited(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      if (len > bytesFree) {
        throw fsError(new IOException("No space left on device"));
      }
      bytesFree -= len;
      out.write(b, off, len);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** Only the local file system itself may make one. */
  private static FSError fsError(IOException cause) {
    try {
      Constructor<FSError> constructor = FSError.class.getDeclaredConstructor(Throwable.class);
      constructor.setAccessible(true);
      return constructor.newInstance(cause);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("FSError is not what it was in Hadoop 3.5.0", e);
    }
  }
}
