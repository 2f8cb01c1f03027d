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

import java.io.{ByteArrayOutputStream, OutputStream}
import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.{SparkConf, SparkEnv, TaskContext}
import org.apache.spark.internal.config.{
  SERIALIZER_EXTRA_DEBUG_INFO,
  SERIALIZER_OBJECT_STREAM_RESET
}
import org.apache.spark.scheduler.DirectTaskResult
import org.apache.spark.serializer.{JavaSerializer, JavaSerializerInstance, SerializationStream}
import org.apache.spark.serializer.SerializerInstance
import org.apache.spark.util.io.ChunkedByteBufferOutputStream

/** Stands in for the serializers of an executor's environment, and does what they do but for the tasks that were
  * sent ahead:
  *
  *   - A task is here already; what Spark's executor reads is its number.
  *   - A value does not go into a buffer of one megabyte, which Spark allocates for each task's, and
  *     which is so large that G1 gives it regions of its own. It stays aside until the result is written.
  *   - A result is written by [[ResultCodec]].
  *
  * Spark's executor does all of a task in one thread: it reads the task, runs it, serializes the value, and
  * then the result, with the serializer that has read the task.
  */
private[drizzle] object TaskSerializers {

  /** Values up to this length, in bytes, stay aside. */
  private val MostAside = 8192

  private lazy val closureSerializer = Private.field(classOf[SparkEnv], "closureSerializer")
  private lazy val serializer = Private.field(classOf[SparkEnv], "serializer")

  def check(): Unit = Seq(closureSerializer, serializer)

  /** The task that this thread has begun and whose result has not been written. */
  private val ofThread = new ThreadLocal[RunningTask]

  private final class RunningTask(val of: AgentTask) {

    /** Its value, serialized, if that is aside. */
    var value: Option[Array[Byte]] = None
  }

  /** Another serializer than Java's for values, which an application may have named, stays.
    *
    * @param loader where that for values finds classes
    */
  def install(env: SparkEnv, loader: ClassLoader, task: Long => AgentTask): Unit = {
    // As Spark has it, this one looks where the thread that uses it does.
    closureSerializer.set(env, new ClosureSerializer(env.conf, task))
    if (env.serializer.getClass == classOf[JavaSerializer]) {
      val values = new ValueSerializer(env.conf)
      values.setDefaultClassLoader(loader)
      serializer.set(env, values)
    }
  }

  /** What Spark's executor reads a task from. */
  def stub(taskId: Long): ByteBuffer =
    ByteBuffer.allocate(1 + java.lang.Long.BYTES).put(Stub).putLong(taskId).flip()

  /** What Java has serialized begins with another byte, and is longer. */
  private val Stub: Byte = 0x54

  private def idIn(bytes: ByteBuffer): Option[Long] =
    if (bytes.remaining() == 1 + java.lang.Long.BYTES && bytes.get(bytes.position()) == Stub) {
      Some(bytes.getLong(bytes.position() + 1))
    } else {
      None
    }

  private final class ClosureSerializer(conf: SparkConf, task: Long => AgentTask)
      extends JavaSerializer(conf) {
    override def newInstance(): SerializerInstance =
      new ClosureInstance(conf, loaderOf(defaultClassLoader), task)

    private def writeReplace(): AnyRef = new JavaSerializer(conf)
  }

  private def loaderOf(default: Option[ClassLoader]): ClassLoader =
    default.getOrElse(Thread.currentThread.getContextClassLoader)

  /** For one thread. */
  private final class ClosureInstance(
      conf: SparkConf,
      loader: ClassLoader,
      task: Long => AgentTask
  ) extends JavaSerializerInstance(
        conf.get(SERIALIZER_OBJECT_STREAM_RESET),
        conf.get(SERIALIZER_EXTRA_DEBUG_INFO),
        loader
      ) {
    private var running: Option[RunningTask] = None

    override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T =
      idIn(bytes) match {
        case Some(taskId) =>
          val begun = new RunningTask(task(taskId))
          running = Some(begun)
          ofThread.set(begun)
          begun.of.toTask.asInstanceOf[T]
        case None =>
          // The task of before may have ended without a result.
          ofThread.remove()
          super.deserialize(bytes, loader)
      }

    override def serializeStream(to: OutputStream): SerializationStream = running match {
      case Some(begun) => new ResultStream(to, begun, super.serializeStream(_))
      case None        => super.serializeStream(to)
    }
  }

  /** Takes a task's result, or why there is none. */
  private final class ResultStream(
      to: OutputStream,
      task: RunningTask,
      java: OutputStream => SerializationStream
  ) extends SerializationStream {
    private lazy val stock = java(to)
    private var isStockUsed = false

    override def writeObject[T: ClassTag](written: T): SerializationStream = {
      written match {
        case result: DirectTaskResult[_] if !isStockUsed && ResultCodec.suits(lengthOf(result)) =>
          val value = task.value.getOrElse(result.valueByteBuffer.toArray)
          val metrics = task.of.stage.metricsTemplate
          ResultCodec.write(result, value, metrics, javaInstance, to)
        case other =>
          isStockUsed = true
          stock.writeObject(other)
      }
      this
    }

    private def lengthOf(result: DirectTaskResult[_]): Long =
      task.value.fold(result.valueByteBuffer.size)(_.length.toLong)

    private def javaInstance: SerializerInstance =
      new JavaSerializer(SparkEnv.get.conf).newInstance()

    override def flush(): Unit = if (isStockUsed) stock.flush() else to.flush()

    override def close(): Unit = {
      ofThread.remove()
      if (isStockUsed) stock.close() else to.close()
    }
  }

  private final class ValueSerializer(conf: SparkConf) extends JavaSerializer(conf) {
    override def newInstance(): SerializerInstance =
      new JavaSerializerInstance(
        conf.get(SERIALIZER_OBJECT_STREAM_RESET),
        conf.get(SERIALIZER_EXTRA_DEBUG_INFO),
        loaderOf(defaultClassLoader)
      ) {
        override def serializeStream(to: OutputStream): SerializationStream = {
          // While there is a context, it is the task that serializes something.
          val begun = if (TaskContext.get() == null) Option(ofThread.get) else None
          (begun, to) match {
            case (Some(task), chunks: ChunkedByteBufferOutputStream) =>
              super.serializeStream(new Aside(chunks, task))
            case _ => super.serializeStream(to)
          }
        }
      }

    private def writeReplace(): AnyRef = new JavaSerializer(conf)
  }

  /** Keeps what is written aside, or passes it on if it is much. */
  private final class Aside(to: OutputStream, task: RunningTask) extends OutputStream {
    private var kept = Option(new ByteArrayOutputStream(256))

    override def write(byte: Int): Unit = target(1).write(byte)

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      target(length).write(bytes, offset, length)

    private def target(more: Int): OutputStream = kept match {
      case Some(few) if few.size + more <= MostAside => few
      case Some(few) =>
        kept = None
        few.writeTo(to)
        to
      case None => to
    }

    override def flush(): Unit = if (kept.isEmpty) to.flush()

    override def close(): Unit = {
      task.value = kept.map(_.toByteArray)
      to.close()
    }
  }
}
