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
package org.freshet.mapreduce.analysis;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.objectweb.asm.tree.analysis.Value;

/**
 * What is known of one stack slot or local variable.
 *
 * @param size 1, or 2 for long and double
 * @param constant the {@code String} or {@code org.objectweb.asm.Type} it must be, or null if
 *     unknown
 * @param position how to call the value if it tells a record's position, or null if it does not
 * @param origins where the reference, or what holds it, may come from
 * @param cache what it is with regard to the job's cache files, or null if it has nothing to do
 *     with them
 */
record FlowValue(int size, Object constant, String position, Set<Origin> origins, CacheTerm cache)
    implements Value {

  static final FlowValue UNKNOWN = new FlowValue(1, null, null, Set.of(), null);
  static final FlowValue UNKNOWN_WIDE = new FlowValue(2, null, null, Set.of(), null);

  static FlowValue ofSize(int size) {
    return size == 2 ? UNKNOWN_WIDE : UNKNOWN;
  }

  static FlowValue constant(Object constant) {
    return new FlowValue(1, constant, null, Set.of(), null);
  }

  static FlowValue position(String what) {
    return new FlowValue(1, null, what, Set.of(), null);
  }

  static FlowValue from(Set<Origin> origins) {
    return origins.isEmpty() ? UNKNOWN : new FlowValue(1, null, null, origins, null);
  }

  @Override
  public int getSize() {
    return size;
  }

  /** The least value that stands for both: constants only if equal, the rest united. */
  FlowValue join(FlowValue other) {
    if (equals(other)) {
      return this;
    }
    if (size != other.size) {
      // Only a dead local variable can hold values of two sizes.
      return UNKNOWN;
    }
    return new FlowValue(
        size,
        Objects.equals(constant, other.constant) ? constant : null,
        position != null ? position : other.position,
        union(origins, other.origins),
        CacheTerm.join(cache, other.cache));
  }

  /** The same value, of which more is known. */
  FlowValue with(CacheTerm known) {
    return known == null ? this : new FlowValue(size, constant, position, origins, known);
  }

  static Set<Origin> union(Set<Origin> left, Set<Origin> right) {
    if (left.containsAll(right)) {
      return left;
    }
    Set<Origin> both = new HashSet<>(left);
    both.addAll(right);
    return Set.copyOf(both);
  }
}
