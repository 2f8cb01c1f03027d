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
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;

/**
 * A run could not be read as it was written: its pack is missing, too short or unreadable, or its
 * bytes have another digest. Whatever was read from it so far must be thrown away and the run
 * recomputed.
 */
public final class CorruptRunException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient RunRef run;
  private final transient Digest actual;

  private CorruptRunException(
      RunRef run, Path pack, String reason, Digest actual, Throwable cause) {
    super(
        "run of "
            + run.storedLength()
            + " bytes at offset "
            + run.offset()
            + " of "
            + pack
            + ": "
            + reason,
        cause);
    this.run = run;
    this.actual = actual;
  }

  static CorruptRunException mismatch(RunRef run, Path pack, Digest actual) {
    String reason = "expected SHA-256 " + run.content().hex() + ", found " + actual.hex();
    return new CorruptRunException(run, pack, reason, actual, null);
  }

  static CorruptRunException truncated(RunRef run, Path pack, long read) {
    return new CorruptRunException(run, pack, "the pack ends after " + read + " bytes", null, null);
  }

  static CorruptRunException unreadable(RunRef run, Path pack, Throwable cause) {
    return new CorruptRunException(run, pack, "cannot be read: " + cause, null, cause);
  }

  /** The pack as named in the run's reference; null after Java serialization. */
  public String pack() {
    return run == null ? null : run.pack();
  }

  /** Where the run begins in its pack, in bytes; -1 after Java serialization. */
  public long offset() {
    return run == null ? -1 : run.offset();
  }

  /** The SHA-256 that the run was written with; null after Java serialization. */
  public Digest expected() {
    return run == null ? null : run.content();
  }

  /** The SHA-256 of the bytes found; empty if the run could not be read to its end. */
  public Optional<Digest> actual() {
    return Optional.ofNullable(actual);
  }
}
