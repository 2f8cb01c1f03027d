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

import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.WritableUtils;

/**
 * A file in the list of a job.
 *
 * @param path fully qualified
 * @param bytes its length
 * @param hosts that hold most of it; none if nobody knows
 */
record ListedFile(Path path, long bytes, String[] hosts) {
  private static final int ANOTHER = 1;

  void write(DataOutput out) throws IOException {
    out.writeByte(ANOTHER);
    WritableUtils.writeString(out, path.toString());
    WritableUtils.writeVLong(out, bytes);
    WritableUtils.writeVInt(out, hosts.length);
    for (String host : hosts) {
      WritableUtils.writeString(out, host);
    }
  }

  /** The next file; null behind the last. */
  static ListedFile read(DataInputStream in) throws IOException {
    if (in.read() != ANOTHER) {
      return null;
    }
    Path path = new Path(WritableUtils.readString(in));
    long bytes = WritableUtils.readVLong(in);
    String[] hosts = new String[WritableUtils.readVInt(in)];
    for (int i = 0; i < hosts.length; i++) {
      hosts[i] = WritableUtils.readString(in);
    }
    return new ListedFile(path, bytes, hosts);
  }
}
