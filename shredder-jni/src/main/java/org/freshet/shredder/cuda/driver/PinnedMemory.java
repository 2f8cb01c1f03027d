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
package org.freshet.shredder.cuda.driver;

import java.nio.ByteBuffer;

/**
 * A piece of page-locked host memory. Invalid once closed; a buffer on it must not be used then.
 */
public interface PinnedMemory extends AutoCloseable {
  /** All of it, as a direct buffer, always the same. */
  ByteBuffer bytes();

  /** Frees it. No copy from it or to it may be under way. */
  @Override
  void close() throws CudaCallException;
}
