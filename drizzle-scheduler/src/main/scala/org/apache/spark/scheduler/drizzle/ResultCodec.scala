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

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer

import org.apache.spark.scheduler.DirectTaskResult
import org.apache.spark.serializer.SerializerInstance
import org.apache.spark.util.{AccumulatorV2, LongAccumulator}

/** A task's result as bytes: its value as it was serialized, and what it has counted. Of the metrics that every
  * task has, only place and number are written, because Java's serialization says of each what its class is like;
  * for a small task that takes as long as the task itself, and for the driver a third of its work.
  *
  * Safe for use by several threads.
  */
private[drizzle] object ResultCodec {

  /** What Java has serialized begins with another byte. */
  private val Magic = 0x46

  /** A longer value is left to Spark, whose buffers may hold more than an array. */
  private val MostOfValue = 1 << 20

  /** Whether a result may be written here.
    *
    * @param valueLength of the serialized value, in bytes
    */
  def suits(valueLength: Long): Boolean = valueLength <= MostOfValue

  /** @param value serialized; instead of that of `result`
    * @param metrics of the task's stage
    * @param java for accumulators that are none of the task's metrics
    */
  def write(
      result: DirectTaskResult[_],
      value: Array[Byte],
      metrics: TaskMetricsTemplate,
      java: => SerializerInstance,
      to: OutputStream
  ): Unit = {
    val bytes = new ByteArrayOutputStream(value.length + 512)
    val out = new DataOutputStream(bytes)
    out.writeByte(Magic)
    array(out, value)
    val (own, others) = result.accumUpdates.partitionMap {
      case counted: LongAccumulator if metrics.placeOf(counted) >= 0 => Left(counted)
      case other                                                     => Right(other)
    }
    out.writeByte(own.size)
    own.foreach { counted =>
      out.writeByte(metrics.placeOf(counted))
      out.writeLong(counted.sum)
      out.writeLong(counted.count)
    }
    if (others.isEmpty) array(out, Array.emptyByteArray)
    else array(out, bytesOf(java.serialize(others.toArray)))
    out.writeInt(result.metricPeaks.length)
    result.metricPeaks.foreach(out.writeLong)
    out.flush()
    bytes.writeTo(to)
  }

  /** Nothing if it was not written by [[write]], but by Java.
    *
    * @param metrics of the task's stage
    */
  def read(
      bytes: InputStream,
      metrics: TaskMetricsTemplate,
      java: SerializerInstance
  ): Option[DirectTaskResult[_]] = {
    val in = new DataInputStream(bytes)
    if (in.read() != Magic) {
      None
    } else {
      val value = ByteBuffer.wrap(array(in))
      val own =
        Vector.fill(in.readUnsignedByte())(
          metrics.accumulator(in.readUnsignedByte(), in.readLong(), in.readLong())
        )
      val others = array(in)
      val all =
        if (others.isEmpty) own
        else own ++ java.deserialize[Array[AccumulatorV2[_, _]]](ByteBuffer.wrap(others))
      val peaks = Array.fill(in.readInt())(in.readLong())
      Some(new DirectTaskResult[Any](value, all, peaks))
    }
  }

  def read(
      bytes: Array[Byte],
      metrics: TaskMetricsTemplate,
      java: SerializerInstance
  ): Option[DirectTaskResult[_]] = read(new ByteArrayInputStream(bytes), metrics, java)

  private def array(out: DataOutputStream, bytes: Array[Byte]): Unit = {
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def array(in: DataInputStream): Array[Byte] = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    bytes
  }

  private def bytesOf(buffer: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](buffer.remaining())
    buffer.get(bytes)
    bytes
  }
}
