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

import java.util.concurrent.ConcurrentHashMap

import scala.reflect.ClassTag

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.broadcast.{Broadcast, BroadcastFactory, BroadcastManager}

/** Keeps stages' binaries out of the block manager, which is where Spark's DAGScheduler puts each of
  * them: they travel with their tasks. One is published after all when a task that stock runs takes
  * it along; and one that the driver could not send to every executor in little time is published at once, since
  * executors get a broadcast from each other. Safe for use by several threads.
  *
  * @param executors how many there are to send to, now
  * @param most the length of all copies of a binary together, in bytes, up to which it is sent
  */
private[drizzle] final class InlineBroadcasts(
    stock: BroadcastFactory,
    executors: => Int,
    most: Long
) extends BroadcastFactory {
  private val isSubmitting = new ThreadLocal[Boolean]
  private val unpublished = ConcurrentHashMap.newKeySet[Long]

  /** While `body` runs, byte arrays that this thread broadcasts are not published at once. */
  def submitting[T](body: => T): T = {
    val before = isSubmitting.get
    isSubmitting.set(true)
    try body
    finally isSubmitting.set(before)
  }

  override def newBroadcast[T: ClassTag](
      value: T,
      isLocal: Boolean,
      id: Long,
      serializedOnly: Boolean
  ): Broadcast[T] = value match {
    case bytes: Array[Byte] if isSubmitting.get && isSent(bytes.length) =>
      unpublished.add(id)
      new UnpublishedBinary(id, bytes, this).asInstanceOf[Broadcast[T]]
    case _ => stock.newBroadcast(value, isLocal, id, serializedOnly)
  }

  private def isSent(length: Int): Boolean =
    length <= InlineBroadcasts.AlwaysSent || length.toLong * executors <= most

  def publish(id: Long, bytes: Array[Byte]): Broadcast[Array[Byte]] = {
    unpublished.remove(id)
    stock.newBroadcast(bytes, isLocal = false, id)
  }

  override def unbroadcast(id: Long, removeFromDriver: Boolean, blocking: Boolean): Unit =
    if (!unpublished.remove(id)) {
      stock.unbroadcast(id, removeFromDriver, blocking)
    }

  override def initialize(isDriver: Boolean, conf: SparkConf): Unit = ()

  override def stop(): Unit = stock.stop()
}

private[drizzle] object InlineBroadcasts {

  /** To fetch a broadcast of this many bytes costs the driver, which is asked for it by each executor, more than to
    * send them.
    */
  private val AlwaysSent = 64 << 10

  private lazy val field = Private.field(classOf[BroadcastManager], "broadcastFactory")

  def check(): Unit = field

  /** Puts one before the driver's own factory. */
  def install(env: SparkEnv, executors: => Int): InlineBroadcasts = {
    val factory = new InlineBroadcasts(
      field.get(env.broadcastManager).asInstanceOf[BroadcastFactory],
      executors,
      env.conf.get(DrizzleKeys.BinariesSent)
    )
    field.set(env.broadcastManager, factory)
    factory
  }
}

/** A stage's binary on the driver. Becomes a broadcast like any other when it is serialized. */
private[drizzle] final class UnpublishedBinary(
    id: Long,
    bytes: Array[Byte],
    @transient private val broadcasts: InlineBroadcasts
) extends Broadcast[Array[Byte]](id) {
  @transient private lazy val published = broadcasts.publish(id, bytes)

  override protected def getValue(): Array[Byte] = bytes

  override protected def doUnpersist(blocking: Boolean): Unit =
    broadcasts.unbroadcast(id, removeFromDriver = false, blocking)

  override protected def doDestroy(blocking: Boolean): Unit =
    broadcasts.unbroadcast(id, removeFromDriver = true, blocking)

  private def writeReplace(): AnyRef = published
}
