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

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The next {@code length} bytes of a stream; ending before that is an error. */
final class BoundedInput extends FilterInputStream {
  private long left;

  BoundedInput(InputStream in, long length) {
    super(in);
    left = length;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (left == 0) {
      return -1;
    }
    int n = in.read(b, off, (int) Math.min(len, left));
    if (n < 0) {
      throw new EOFException("a run ends " + left + " bytes early");
    }
    left -= n;
    return n;
  }

  @Override
  public long skip(long n) throws IOException {
    long skipped = in.skip(Math.min(n, left));
    left -= skipped;
    return skipped;
  }

  @Override
  public int available() throws IOException {
    return (int) Math.min(left, in.available());
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
