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

/**
 * An associative operation over values in order. It need not be commutative and needs no inverse.
 *
 * @param <V> the values; never null
 */
@FunctionalInterface
public interface Combiner<V> {
  /**
   * Combines two or more values from left to right. Must not change them, for they may be combined
   * again; must give equal results for equal values, and the same result however a sequence is cut
   * into consecutive parts that are combined first.
   */
  V combine(List<V> values);
}
