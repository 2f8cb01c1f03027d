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

/**
 * A file of the store is not what was written: truncated, altered, or not of the expected kind. The
 * right answer is to do without it and recompute.
 */
public final class CorruptStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the file or structure, what was found and what was expected
   */
  public CorruptStoreException(String message) {
    super(message);
  }

  /**
   * @param message the file or structure, what was found and what was expected
   * @param cause what led here
   */
  public CorruptStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
