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
package org.freshet.mapreduce.run;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger.Segment;
import org.apache.hadoop.mapreduce.task.reduce.InMemoryReader;

/** Opens runs as segments of a stock merge. */
final class RunSegments {
  private RunSegments() {}

  static <K, V> Segment<K, V> open(JobConf job, CompressionCodec codec, Run run)
      throws IOException {
    if (run instanceof Run.InFile file) {
      // preserve: the merger would delete the file that holds the run
      return new Segment<>(
          job, file.fs(), file.file(), file.offset(), file.storedLength(), codec, true);
    }
    Run.InMemory memory = (Run.InMemory) run;
    if (codec == null) {
      return new Segment<>(
          new InMemoryReader<K, V>(
              null, null, memory.bytes(), 0, Math.toIntExact(memory.rawLength()), job),
          true);
    }
    return new Segment<>(
        new CompressedMemoryReader<K, V>(
            job, memory.bytes(), Math.toIntExact(memory.storedLength()), codec),
        true);
  }

  /**
   * A compressed run in memory. A segment made from a reader counts as in memory, so the merge
   * hands out the value buffer of another segment; values therefore go to a buffer of our own.
   */
  private static final class CompressedMemoryReader<K, V> extends IFile.Reader<K, V> {
    private byte[] value = new byte[64];

    CompressedMemoryReader(Configuration conf, byte[] bytes, int length, CompressionCodec codec)
        throws IOException {
      super(conf, new FSDataInputStream(new SeekableBytes(bytes, length)), length, codec, null);
    }

    @Override
    public void nextRawValue(DataInputBuffer target) throws IOException {
      if (value.length < currentValueLength) {
        value = new byte[currentValueLength + (currentValueLength >> 1)];
      }
      DataInputBuffer own = new DataInputBuffer();
      own.reset(value, value.length);
      super.nextRawValue(own);
      target.reset(own.getData(), own.getLength());
    }
  }

  private static final class SeekableBytes extends ByteArrayInputStream
      implements Seekable, PositionedReadable {
    SeekableBytes(byte[] bytes, int length) {
      super(bytes, 0, length);
    }

    @Override
    public synchronized void seek(long position) {
      pos = Math.toIntExact(position);
    }

    @Override
    public synchronized long getPos() {
      return pos;
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public synchronized int read(long position, byte[] buffer, int offset, int length) {
      if (position >= count) {
        return -1;
      }
      int n = (int) Math.min(length, count - position);
      System.arraycopy(buf, (int) position, buffer, offset, n);
      return n;
    }

    @Override
    public void readFully(long position, byte[] buffer, int offset, int length) throws IOException {
      if (read(position, buffer, offset, length) < length) {
        throw new java.io.EOFException("read past the end of a run in memory");
      }
    }

    @Override
    public void readFully(long position, byte[] buffer) throws IOException {
      readFully(position, buffer, 0, buffer.length);
    }
  }
}
