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

/** What is done with a source's segments and the cuts in them. Called by one thread. */
interface CutSink extends AutoCloseable {
  /** The source goes on with {@code segment}. */
  void begin(SourcePart segment);

  /** A cut at {@code offset}: in the segment begun, or at the end of the source. */
  void cut(long offset);

  /** There is no further cut in the segment begun, which the sink must release. */
  void end();

  /**
   * The last cut has been told. Returns when all that follows from it is done.
   *
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   */
  default void finish() throws IOException {}

  /** Returns when no other thread looks at any segment. */
  @Override
  default void close() {}
}
