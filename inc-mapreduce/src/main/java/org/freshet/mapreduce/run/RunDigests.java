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

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import org.freshet.slider.Digest;

/** Digests runs that were written by stock code. */
public final class RunDigests {
  private static final int BUFFER = 64 << 10;

  private RunDigests() {}

  /** SHA-256 of a run's stored bytes. */
  public static Digest of(Run run) throws IOException {
    MessageDigest sha = Digest.newSha256();
    byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER, run.storedLength()))];
    try (InputStream in = run.open()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        sha.update(buffer, 0, n);
      }
    }
    return Digest.finish(sha);
  }

  /** The same run with its content's digest. */
  public static Run.InFile named(Run.InFile run) throws IOException {
    return new Run.InFile(
        of(run), run.fs(), run.file(), run.offset(), run.storedLength(), run.rawLength());
  }
}
