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

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer
import java.util.Arrays

import scala.reflect.ClassTag

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.internal.Logging
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.scheduler.DAGScheduler
import org.apache.spark.serializer.{DeserializationStream, SerializationStream, SerializerInstance}

/** The metrics of a stage's tasks as Java writes them before a task has run, for stage after stage: two dozen
  * accumulators, of which the ids alone differ from those of the stage before. So the ids are put into what Java has
  * written once, when that has been right several times. For one thread.
  *
  * @param java serializes
  */
private[drizzle] final class SerializedMetrics(java: TaskMetrics => Array[Byte]) {
  import SerializedMetrics._

  private var learned = Option.empty[Learned]
  private var confirmed = 0

  def of(metrics: TaskMetrics): Array[Byte] = {
    val ids = metrics.nameToAccums.valuesIterator.map(_.id).toArray
    learned match {
      case Some(known) if confirmed >= Enough && known.count == ids.length =>
        known.withIds(ids)
      case _ =>
        val bytes = java(metrics)
        learn(ids, bytes)
        bytes
    }
  }

  private def learn(ids: Array[Long], bytes: Array[Byte]): Unit =
    if (learned.exists(k => k.count == ids.length && Arrays.equals(k.withIds(ids), bytes))) {
      confirmed += 1
    } else {
      confirmed = 0
      learned = placesOf(ids, bytes).map(new Learned(bytes, _))
    }
}

private[drizzle] object SerializedMetrics extends Logging {

  /** So often has to be right what is then relied on. */
  private val Enough = 3

  private val Wide = java.lang.Long.BYTES

  /** @param places where each id stands */
  private final class Learned(bytes: Array[Byte], places: Array[Int]) {

    /** How many ids there are. */
    def count: Int = places.length

    def withIds(ids: Array[Long]): Array[Byte] = {
      val changed = ByteBuffer.wrap(bytes.clone())
      for (i <- ids.indices) changed.putLong(places(i), ids(i))
      changed.array
    }
  }

  /** Where each id stands, if each stands in one place. */
  private def placesOf(ids: Array[Long], bytes: Array[Byte]): Option[Array[Int]] = {
    val in = ByteBuffer.wrap(bytes)
    val wanted = ids.toSet
    val found = (0 to bytes.length - Wide).filter(at => wanted(in.getLong(at)))
    val byId = found.groupBy(in.getLong(_))
    if (byId.size == ids.length && byId.values.forall(_.size == 1)) Some(ids.map(byId(_).head))
    else None
  }

  /** Has Spark's scheduler write metrics so. */
  def install(dag: DAGScheduler): Unit =
    try {
      val field = Private.field(classOf[DAGScheduler], "closureSerializer")
      field.set(dag, new OfStages(field.get(dag).asInstanceOf[SerializerInstance]))
    } catch {
      case e: ReflectiveOperationException =>
        logInfo(s"Metrics are serialized for each stage: this Spark has no ${e.getMessage}")
    }

  /** Spark's serializer, but for metrics. */
  private final class OfStages(stock: SerializerInstance) extends SerializerInstance {
    private val metrics =
      new SerializedMetrics(metrics => JavaUtils.bufferToArray(stock.serialize(metrics)))

    override def serialize[T: ClassTag](written: T): ByteBuffer = written match {
      case ofStage: TaskMetrics => ByteBuffer.wrap(metrics.of(ofStage))
      case other                => stock.serialize(other)
    }

    override def deserialize[T: ClassTag](bytes: ByteBuffer): T = stock.deserialize(bytes)

    override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T =
      stock.deserialize(bytes, loader)

    override def serializeStream(to: OutputStream): SerializationStream = stock.serializeStream(to)

    override def deserializeStream(from: InputStream): DeserializationStream =
      stock.deserializeStream(from)
  }
}
