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
package org.freshet.mapreduce.index;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapreduce.InputSplit;

/** Files for one map task. */
final class FileListSplit extends InputSplit implements Writable {
  private List<Path> files = List.of();
  private long bytes;
  private String[] hosts = {};

  /** For {@link #readFields}. */
  FileListSplit() {}

  /**
   * @param bytes length of all files together
   * @param hosts that hold some of them
   */
  FileListSplit(List<Path> files, long bytes, String[] hosts) {
    this.files = files;
    this.bytes = bytes;
    this.hosts = hosts;
  }

  List<Path> files() {
    return files;
  }

  @Override
  public long getLength() {
    return bytes;
  }

  @Override
  public String[] getLocations() {
    return hosts.clone();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVLong(out, bytes);
    WritableUtils.writeVInt(out, files.size());
    for (Path file : files) {
      WritableUtils.writeString(out, file.toString());
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    bytes = WritableUtils.readVLong(in);
    int count = WritableUtils.readVInt(in);
    files = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      files.add(new Path(WritableUtils.readString(in)));
    }
  }
}
