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
package org.apache.spark.scheduler.drizzle

import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.apache.spark.shuffle.api.{ShuffleMapOutputWriter, ShufflePartitionWriter}

/** What a map task has written, in memory. Immutable.
  *
  * @param bytes the partitions, one behind the other, as they would be in a file
  * @param ends where in it each partition ends
  */
private[drizzle] final class SmallOutput(val bytes: Array[Byte], val ends: Array[Int])
    extends Serializable {

  /** In bytes, with the ends: with many partitions, those are most of it. */
  def length: Long = bytes.length + SmallOutput.indexLength(ends.length)

  def numPartitions: Int = ends.length

  def lengths: Array[Long] = Array.tabulate(ends.length)(i => (ends(i) - startOf(i)).toLong)

  /** The bytes of the partitions `from` to `until - 1`. */
  def partitions(from: Int, until: Int): ByteBuffer = {
    val start = startOf(from)
    ByteBuffer.wrap(bytes, start, startOf(until) - start).slice().asReadOnlyBuffer()
  }

  /** Writes the partitions before `until`, but for empty ones, of which Spark writes nothing either. */
  def copyTo(
      writer: ShuffleMapOutputWriter,
      until: Int,
      open: ShufflePartitionWriter => Sink
  ): Unit = for (p <- 0 until until if startOf(p) < ends(p)) {
    val sink = open(writer.getPartitionWriter(p))
    sink.write(partitions(p, p + 1))
    sink.close()
  }

  private def startOf(partition: Int): Int = if (partition == 0) 0 else ends(partition - 1)
}

private[drizzle] object SmallOutput {

  /** Of the ends, in bytes. */
  def indexLength(numPartitions: Int): Long = numPartitions.toLong * java.lang.Integer.BYTES
}

/** An executor's map outputs that are in memory: its own that are small, and those that others have
  * announced to it. If its own become too many, the oldest go to disk. Safe for use by several threads.
  *
  * @param most how many bytes of its own outputs there may be, and how many of others'
  * @param toDisk writes one where Spark has its map outputs
  */
private[drizzle] final class SmallOutputs(
    most: Long,
    toDisk: (SmallOutputs.Id, SmallOutput, Array[Long]) => Unit
) {
  import SmallOutputs._

  private val own = new ConcurrentHashMap[Id, SmallOutput]
  private val announced = new ConcurrentHashMap[Id, SmallOutput]

  // Those of its own from the oldest on, with their checksums. This and the sums are guarded by this.
  private val inOrder = mutable.LinkedHashMap.empty[Id, Array[Long]]
  private var inOwn = 0L
  private var inAnnounced = 0L

  /** One of the executor's own, in place of what was there under its id: with Spark's old protocol a task that
    * is run again has the id of the first one.
    */
  def add(id: Id, output: SmallOutput, checksums: Array[Long]): Unit = synchronized {
    inOrder.remove(id).foreach(earlier => inOwn -= lengthOf(own.get(id), earlier))
    own.put(id, output)
    inOrder(id) = checksums
    inOwn += lengthOf(output, checksums)
    while (inOwn > most)
      flush(inOrder.head._1)
  }

  /** One of another executor's, unless there are too many.
    *
    * @return whether it will be found here
    */
  def addAnnounced(id: Id, output: SmallOutput): Boolean = synchronized {
    val isKept = announced.containsKey(id) || inAnnounced + output.length <= most
    if (isKept && announced.putIfAbsent(id, output) == null) {
      inAnnounced += output.length
    }
    isKept
  }

  def removeAnnounced(id: Id): Unit = synchronized {
    Option(announced.remove(id)).foreach(output => inAnnounced -= output.length)
  }

  def get(id: Id): Option[SmallOutput] = Option(own.get(id)).orElse(Option(announced.get(id)))

  /** One of the executor's own, if it is in memory. */
  def getOwn(id: Id): Option[SmallOutput] = Option(own.get(id))

  /** How many of the executor's own are in memory. */
  def size: Int = own.size

  /** The bytes that they have. */
  def ownBytes: Long = synchronized(inOwn)

  /** The bytes that those have which others have announced. */
  def announcedBytes: Long = synchronized(inAnnounced)

  def remove(id: Id): Unit = synchronized {
    inOrder.remove(id).foreach(checksums => inOwn -= lengthOf(own.remove(id), checksums))
  }

  /** Brings the executor's own to disk, where others than [[get]] find them. */
  def flush(): Unit = synchronized {
    inOrder.keys.toVector.foreach(flush)
  }

  private def lengthOf(output: SmallOutput, checksums: Array[Long]): Long =
    output.length + checksums.length.toLong * java.lang.Long.BYTES

  /** It stays in memory until it is on disk: somebody may be looking for it. */
  private def flush(id: Id): Unit = {
    toDisk(id, own.get(id), inOrder(id))
    remove(id)
  }
}

private[drizzle] object SmallOutputs {

  /** @param mapId the task's id, as in Spark's shuffle blocks */
  final case class Id(shuffleId: Int, mapId: Long)
}
