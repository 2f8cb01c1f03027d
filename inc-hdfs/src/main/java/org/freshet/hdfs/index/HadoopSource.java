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

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.util.functional.FutureIO;
import org.freshet.shredder.ByteSource;

/**
 * A file of a Hadoop file system. Notices the byte order mark when the start of the file is read.
 */
final class HadoopSource implements ByteSource {
  private static final int BOM_BYTES = 3;

  private final FileSystem fs;
  private final FileStatus status;
  private final ReadingProgress progress;
  private volatile boolean startsWithBom;

  /** The file with the given status, which must come from {@code fs}. */
  HadoopSource(FileSystem fs, FileStatus status, ReadingProgress progress) {
    this.fs = fs;
    this.status = status;
    this.progress = progress;
  }

  @Override
  public long length() {
    return status.getLen();
  }

  @Override
  public InputStream open(long offset) throws IOException {
    FSDataInputStream in =
        FutureIO.awaitFuture(
            fs.openFile(status.getPath())
                .opt(
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL)
                .build());
    try {
      InputStream counted = new Counted(in);
      if (offset > 0) {
        in.seek(offset);
        return counted;
      }
      byte[] first = counted.readNBytes(BOM_BYTES);
      startsWithBom = isBom(first);
      return new SequenceInputStream(new ByteArrayInputStream(first), counted);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Whether the file starts with UTF-8's byte order mark; known once it was opened at 0. */
  boolean startsWithBom() {
    return startsWithBom;
  }

  private static boolean isBom(byte[] first) {
    return first.length == BOM_BYTES
        && (first[0] & 0xFF) == 0xEF
        && (first[1] & 0xFF) == 0xBB
        && (first[2] & 0xFF) == 0xBF;
  }

  private final class Counted extends FilterInputStream {
    Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      if (value >= 0) {
        progress.bytesRead(1);
      }
      return value;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      if (count > 0) {
        progress.bytesRead(count);
      }
      return count;
    }
  }
}
