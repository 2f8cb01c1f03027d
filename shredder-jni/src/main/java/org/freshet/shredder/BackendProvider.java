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

/**
 * Opens a backend if this machine has what it needs. Found by {@link java.util.ServiceLoader};
 * needs a constructor without parameters that does nothing.
 */
public interface BackendProvider {
  /** The backend's name. */
  String name();

  /** Which provider {@link Backends#preferred()} tries first: the greatest. Java's is 0. */
  int priority();

  /**
   * Opens the backend for someone who asked for it by name. Called once at most in a JVM.
   *
   * @throws BackendUnavailableException if it cannot be had here; says what is missing
   */
  Backend open() throws BackendUnavailableException;

  /**
   * Opens the backend for someone who left the choice to the library: one that works but would be
   * slower than the next declines. Called once at most in a JVM, before or after {@link #open()}.
   *
   * @throws BackendUnavailableException if it cannot be had here or would not pay; says which
   */
  default Backend openIfWorthwhile() throws BackendUnavailableException {
    return open();
  }
}
