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
import java.util.Arrays

/** A vector most of whose elements are zero. Immutable, as long as nobody changes its arrays.
  *
  * @param size how many elements it has, with the zeros
  * @param indices of the others, ascending, each once
  * @param values of those, in the same order
  * @throws IllegalArgumentException if the arrays are not so
  */
final class SparseVector(val size: Int, val indices: Array[Int], val values: Array[Double])
    extends Serializable {
  require(
    indices.length == values.length,
    s"A sparse vector has ${indices.length} indices and ${values.length} values; they must be as many"
  )
  for (i <- indices.indices) {
    val isAscending = i == 0 || indices(i - 1) < indices(i)
    require(
      isAscending && indices(i) >= 0 && indices(i) < size,
      s"Index ${indices(i)} at $i of a sparse vector of size $size is out of range or order"
    )
  }

  /** @throws IndexOutOfBoundsException if there is no such element */
  def apply(index: Int): Double = {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException(s"There is no element $index of $size")
    }
    val found = Arrays.binarySearch(indices, index)
    if (found >= 0) values(found) else 0.0
  }

  /** Elements that are in one of them only are taken over as they are.
    *
    * @throws IllegalArgumentException if that one has another size
    */
  def +(that: SparseVector): SparseVector = {
    require(size == that.size, s"Vectors of size $size and ${that.size} can't be added")
    val (all, sums) = (
      new Array[Int](indices.length + that.indices.length),
      new Array[Double](indices.length + that.indices.length)
    )
    var (i, j, n) = (0, 0, 0)
    while (i < indices.length || j < that.indices.length) {
      val here = if (i < indices.length) indices(i) else Int.MaxValue
      val there = if (j < that.indices.length) that.indices(j) else Int.MaxValue
      all(n) = math.min(here, there)
      sums(n) =
        if (here == there) values(i) + that.values(j)
        else if (here < there) values(i)
        else that.values(j)
      if (here <= there) i += 1
      if (there <= here) j += 1
      n += 1
    }
    new SparseVector(size, Arrays.copyOf(all, n), Arrays.copyOf(sums, n))
  }

  /** Without elements that are there and zero. */
  def compact: SparseVector = {
    val kept = values.indices.filter(values(_) != 0.0).toArray
    if (kept.length == values.length) this
    else new SparseVector(size, kept.map(indices(_)), kept.map(values(_)))
  }

  def toArray: Array[Double] = {
    val all = new Array[Double](size)
    for (i <- indices.indices) all(indices(i)) = values(i)
    all
  }

  override def equals(that: Any): Boolean = that match {
    case other: SparseVector =>
      size == other.size && Arrays.equals(indices, other.indices) &&
      Arrays.equals(values, other.values)
    case _ => false
  }

  override def hashCode: Int = 31 * Arrays.hashCode(indices) + Arrays.hashCode(values)

  override def toString: String =
    indices.zip(values).map { case (i, v) => s"$i: $v" }.mkString(s"$size(", ", ", ")")
}

object SparseVector {

  /** The elements of an array that are not zero. */
  def of(all: Array[Double]): SparseVector = {
    var n = 0
    for (i <- all.indices) if (all(i) != 0.0) n += 1
    val (indices, values) = (new Array[Int](n), new Array[Double](n))
    n = 0
    for (i <- all.indices) if (all(i) != 0.0) {
      indices(n) = i
      values(n) = all(i)
      n += 1
    }
    new SparseVector(all.length, indices, values)
  }

  private[drizzle] def toBytes(vector: SparseVector): Array[Byte] = {
    val n = vector.indices.length
    val bytes =
      ByteBuffer.allocate(2 * Integer.BYTES + n * (Integer.BYTES + java.lang.Double.BYTES))
    bytes.putInt(vector.size).putInt(n)
    bytes.asIntBuffer().put(vector.indices)
    bytes.position(bytes.position() + n * Integer.BYTES)
    bytes.asDoubleBuffer().put(vector.values)
    bytes.array()
  }

  private[drizzle] def fromBytes(bytes: Array[Byte]): SparseVector = {
    val from = ByteBuffer.wrap(bytes)
    val size = from.getInt()
    val n = from.getInt()
    val (indices, values) = (new Array[Int](n), new Array[Double](n))
    from.asIntBuffer().get(indices)
    from.position(from.position() + n * Integer.BYTES)
    from.asDoubleBuffer().get(values)
    new SparseVector(size, indices, values)
  }
}
