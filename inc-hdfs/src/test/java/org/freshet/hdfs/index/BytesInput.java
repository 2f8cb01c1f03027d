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
import java.io.EOFException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;

/** A file in memory that counts what is read of it. */
final class BytesInput extends ByteArrayInputStream implements Seekable, PositionedReadable {
  private long readBytes;
  private int reads;

  BytesInput(byte[] bytes) {
    super(bytes);
  }

  static FileIndex open(byte[] bytes) throws java.io.IOException {
    return new BytesInput(bytes).open();
  }

  FileIndex open() throws java.io.IOException {
    FileStatus status = new FileStatus(buf.length, false, 1, 1, 0, new Path("/index"));
    return new FileIndex(new FSDataInputStream(this), status);
  }

  long readBytes() {
    return readBytes;
  }

  int reads() {
    return reads;
  }

  @Override
  public int read(long position, byte[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void readFully(long position, byte[] into, int offset, int length) throws EOFException {
    if (position + length > buf.length) {
      throw new EOFException();
    }
    System.arraycopy(buf, (int) position, into, offset, length);
    readBytes += length;
    reads++;
  }

  @Override
  public void readFully(long position, byte[] into) throws EOFException {
    readFully(position, into, 0, into.length);
  }

  @Override
  public void seek(long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long getPos() {
    return pos;
  }

  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }
}
