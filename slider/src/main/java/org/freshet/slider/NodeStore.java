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

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Where a contraction tree keeps the values of its nodes between updates. It may forget: what it
 * does not return is combined again.
 *
 * @param <V> the values of nodes
 */
public interface NodeStore<V> {
  /** The value kept for the node {@code id}, or null if there is none. */
  V get(Digest id);

  /** Keeps {@code value} for the node {@code id}. */
  void put(Digest id, V value);

  /** Says that from now on only the nodes in {@code ids} will be asked for. */
  void retain(Set<Digest> ids);

  /** A store on the heap that forgets exactly what it is told to; for use by one thread. */
  static <V> NodeStore<V> onHeap() {
    Map<Digest, V> values = new HashMap<>();
    return new NodeStore<>() {
      @Override
      public V get(Digest id) {
        return values.get(id);
      }

      @Override
      public void put(Digest id, V value) {
        values.put(id, value);
      }

      @Override
      public void retain(Set<Digest> ids) {
        values.keySet().retainAll(ids);
      }
    };
  }
}
