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

import java.nio.ByteBuffer

/** A vector that is changed by adding vectors of the same length. To change it otherwise, override
  * `apply`.
  *
  * @param initial not to be changed from here on
  */
class DenseVariable(name: String, initial: Array[Double])
    extends SharedVariable[Array[Double], Array[Double]](name, initial) {

  private val length = initial.length

  override def merge(left: Array[Double], right: Array[Double]): Array[Double] = {
    check(left)
    DenseVariable.add(left, check(right))
  }

  override def apply(value: Array[Double], update: Array[Double], iteration: Int): Array[Double] =
    DenseVariable.add(value.clone(), check(update))

  override def valueToBytes(value: Array[Double]): Array[Byte] = DenseVariable.toBytes(value)

  override def valueFromBytes(bytes: Array[Byte]): Array[Double] = DenseVariable.fromBytes(bytes)

  override def updateToBytes(update: Array[Double]): Array[Byte] = DenseVariable.toBytes(update)

  override def updateFromBytes(bytes: Array[Byte]): Array[Double] = DenseVariable.fromBytes(bytes)

  private def check(update: Array[Double]): Array[Double] = {
    require(
      update.length == length,
      s"An update of $this has ${update.length} elements; it must have $length"
    )
    update
  }
}

private object DenseVariable {

  /** @return the first one */
  def add(to: Array[Double], what: Array[Double]): Array[Double] = {
    var i = 0
    while (i < to.length) {
      to(i) += what(i)
      i += 1
    }
    to
  }

  def toBytes(numbers: Array[Double]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(numbers.length * java.lang.Double.BYTES)
    bytes.asDoubleBuffer().put(numbers)
    bytes.array()
  }

  def fromBytes(bytes: Array[Byte]): Array[Double] = {
    val numbers = new Array[Double](bytes.length / java.lang.Double.BYTES)
    ByteBuffer.wrap(bytes).asDoubleBuffer().get(numbers)
    numbers
  }
}
