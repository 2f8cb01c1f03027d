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

/** A vector most of whose elements are zero, which is changed by adding such vectors. Only the elements that an
  * update has are sent to other executors. To change it otherwise, override `apply`.
  */
class SparseVariable(name: String, initial: SparseVector)
    extends SharedVariable[SparseVector, SparseVector](name, initial) {
  override def merge(left: SparseVector, right: SparseVector): SparseVector = left + right

  override def apply(value: SparseVector, update: SparseVector, iteration: Int): SparseVector =
    (value + update).compact

  override def valueToBytes(value: SparseVector): Array[Byte] = SparseVector.toBytes(value)

  override def valueFromBytes(bytes: Array[Byte]): SparseVector = SparseVector.fromBytes(bytes)

  override def updateToBytes(update: SparseVector): Array[Byte] = SparseVector.toBytes(update)

  override def updateFromBytes(bytes: Array[Byte]): SparseVector = SparseVector.fromBytes(bytes)
}
