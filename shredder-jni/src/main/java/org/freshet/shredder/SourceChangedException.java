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
package org.freshet.shredder;

import java.io.IOException;

/** A source did not keep still while it was read; what was read of it is of no use. */
public final class SourceChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With what was expected and what was found. */
  public SourceChangedException(String message) {
    super(message);
  }

  /** With what was expected and what was found, and how that was noticed. */
  public SourceChangedException(String message, Throwable cause) {
    super(message, cause);
  }
}
