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
import org.apache.hadoop.fs.Path;

/**
 * The store could not be changed: full, read-only, or out of reach. Names the path and the cause.
 */
public final class StoreWriteException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param path what was to be written, renamed or deleted
   * @param cause the file system's own report; an {@code FSError} of the local file system is
   *     accepted
   */
  public StoreWriteException(Path path, Throwable cause) {
    super("cannot write " + path + ": " + cause, cause);
  }

  /**
   * @param path what was to be written, renamed or deleted
   * @param reason why that failed, for file systems that only answer "false"
   */
  public StoreWriteException(Path path, String reason) {
    super("cannot write " + path + ": " + reason);
  }
}
