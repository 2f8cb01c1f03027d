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
package org.freshet.slider;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A combined value over a changing sequence of leaves, kept up to date with little combining.
 * Implementations differ in the changes they are good at. Not safe for use by several threads.
 *
 * @param <V> what leaves and nodes hold
 */
public interface ContractionTree<V> {
  /**
   * Makes {@code leaves} the sequence and combines what is missing.
   *
   * @param leaves ids of the leaves in order; equal ids must stand for equal values
   * @param leafValue the value of the leaf at an index; asked only for leaves that are combined
   *     anew
   */
  Update<V> update(List<Digest> leaves, IntFunction<V> leafValue);

  /**
   * What an update gave and what it cost.
   *
   * @param root all leaves combined; empty if there are none
   * @param rootId names the content: equal ids, equal roots
   * @param combines calls of the combiner, the root's included
   * @param reused tree nodes, the root included, that were not combined
   */
  record Update<V>(Optional<V> root, Digest rootId, int combines, int reused) {}
}
