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
package org.freshet.drizzle.iterate

import scala.util.Random

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

/** Sparse vectors beside arrays. */
class SparseVectorTest {
  private val random = new Random(1)

  private def array(): Array[Double] =
    Array.fill(20)(if (random.nextInt(3) == 0) random.nextGaussian() else 0.0)

  @Test
  def sumsAreThoseOfArrays(): Unit = for (_ <- 1 to 200) {
    val (a, b) = (array(), array())
    val sum = SparseVector.of(a) + SparseVector.of(b)
    assertThat(sum.toArray).isEqualTo(a.zip(b).map { case (x, y) => x + y })
    assertThat(a.indices.map(sum(_)).toArray).isEqualTo(sum.toArray)
    assertThat(SparseVector.fromBytes(SparseVector.toBytes(sum))).isEqualTo(sum)
  }

  @Test
  def zerosThatAreThereCanBeLeftOut(): Unit = {
    val sum = new SparseVector(5, Array(1, 3), Array(2.0, -1.0)) +
      new SparseVector(5, Array(1, 2), Array(-2.0, 4.0))
    assertThat(sum.indices).isEqualTo(Array(1, 2, 3))
    assertThat(sum.compact).isEqualTo(new SparseVector(5, Array(2, 3), Array(4.0, -1.0)))
  }

  @Test
  def whatIsNoVectorIsRefused(): Unit = {
    assertThatThrownBy(() => new SparseVector(3, Array(0), Array(1.0, 2.0)))
      .hasMessageContaining("1 indices and 2 values")
    assertThatThrownBy(() => new SparseVector(3, Array(1, 1), Array(1.0, 2.0)))
      .hasMessageContaining("Index 1 at 1")
    assertThatThrownBy(() => new SparseVector(3, Array(3), Array(1.0)))
      .hasMessageContaining("Index 3 at 0 of a sparse vector of size 3")
    assertThatThrownBy(() => new SparseVector(3, Array.empty, Array.empty)(3))
      .hasMessageContaining("no element 3 of 3")
    assertThatThrownBy { () =>
      new SparseVector(3, Array.empty, Array.empty) + new SparseVector(4, Array.empty, Array.empty)
    }.hasMessageContaining("size 3 and 4")
  }
}
