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

import java.nio.ByteBuffer;

/** A part of a source in a buffer. May be read and released by any thread. */
public interface SourcePart {
  /** Holds the part; its limit is {@link #to()} or above it. Never to be written to. */
  ByteBuffer bytes();

  /** Index in {@code bytes()} of the part's first byte. */
  int from();

  /** Index in {@code bytes()} behind the part's last byte; above {@link #from()}. */
  int to();

  /** Where in the source the byte at {@link #from()} lies. */
  long offset();

  /** Gives the buffer back; its content may change from now on. At most once. */
  void release();
}
