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

import scala.annotation.unused
import scala.reflect.ClassTag

import org.apache.spark.SparkEnv

/** A conflict-free shared variable: each executor has a replica of its value, which all tasks there read, and
  * tasks change it by updates that are merged. The updates of an iteration become one when all partitions
  * have committed theirs, and each replica applies that one to its value. Nobody else writes, so replicas
  * are equal without asking anyone.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section 4.
  *
  * The functions below are called on executors and on the driver, by one thread at a time for each value, and
  * have to give the same for the same arguments wherever that is. Updates are merged in an order that
  * depends on the number of partitions alone (neighbours first, then pairs of neighbours, and so on, with the
  * lower partition on the left): so a merge that is not quite associative, such as the sum of floating-point
  * numbers, gives the same bits wherever partitions are and whatever arrives first.
  *
  * @param name unlike that of all others in the same iterations
  * @param initial the value before the first iteration; it stays on the driver
  * @tparam V the value. It is read by several tasks at once, and must not be changed after it was given away.
  * @tparam U an update
  */
abstract class SharedVariable[V, U](val name: String, @transient val initial: V)
    extends Serializable {

  /** Two updates of an iteration in one. May change and return the left one. */
  def merge(left: U, right: U): U

  /** Whether each executor merges all updates that it has, whichever partitions they come from, and so sends a
    * single one in each iteration. Results then depend on where partitions are, unless it makes no
    * difference in which order updates are merged: as with sets, counts and maxima, and not quite with floating-point sums.
    */
  def mergesInAnyOrder: Boolean = false

  /** The value after an iteration. Not called if no partition has updated it.
    *
    * @param value before it; not to be changed, since tasks may be reading it
    * @param update all updates of the iteration, merged
    * @param iteration the first one is 1
    */
  def apply(value: V, update: U, iteration: Int): V

  /** Called for each replica before the first iteration of a group.
    *
    * @param value as it was at the end of the group before, or the initial one
    * @return what the group begins with
    */
  def groupBegins(value: V, @unused group: IterationGroup): V = value

  /** Called for each replica when all updates of a group have been applied.
    *
    * @return the state at this boundary. The driver keeps it, and iterations that have to be run again begin
    *   with it.
    */
  def groupEnds(value: V, @unused group: IterationGroup): V = value

  /** A value on its way to the driver and back. By default, what Spark's configured serializer writes. */
  def valueToBytes(value: V): Array[Byte] = SharedVariable.toBytes(value)

  def valueFromBytes(bytes: Array[Byte]): V = SharedVariable.fromBytes(bytes)

  /** An update on its way to other executors. By default, what Spark's configured serializer writes. */
  def updateToBytes(update: U): Array[Byte] = SharedVariable.toBytes(update)

  def updateFromBytes(bytes: Array[Byte]): U = SharedVariable.fromBytes(bytes)

  override def toString: String = s"shared variable '$name'"
}

private object SharedVariable {
  private val any: ClassTag[Any] = ClassTag.Any

  def toBytes(of: Any): Array[Byte] = {
    val written = SparkEnv.get.serializer.newInstance().serialize[Any](of)(any)
    val bytes = new Array[Byte](written.remaining())
    written.get(bytes)
    bytes
  }

  def fromBytes[A](bytes: Array[Byte]): A = SparkEnv.get.serializer
    .newInstance()
    .deserialize[Any](ByteBuffer.wrap(bytes), Thread.currentThread.getContextClassLoader)(any)
    .asInstanceOf[A]
}
