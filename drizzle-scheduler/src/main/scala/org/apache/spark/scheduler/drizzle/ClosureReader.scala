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

import java.io.{ByteArrayInputStream, ObjectInputStream, ObjectStreamClass}
import java.lang.invoke.{SerializedLambda => JavasLambda}
import java.lang.reflect.Proxy
import java.nio.ByteBuffer
import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.Partition
import org.apache.spark.serializer.KryoSerializer

/** Reads what Spark's closure serializer has written, and gives the same objects, but for one thing:
  * equal `KryoSerializer`s are one object. Spark puts one into every shuffle dependency, so each task
  * gets a new one, with a new pool; and to fill it takes longer than all else that a small task does.
  * They are meant to be shared by threads.
  *
  * Safe for use by several threads.
  *
  * @param loader finds the classes, and is the thread's own
  */
private[drizzle] final class ClosureReader(loader: ClassLoader) {
  // What a loader has found once it finds again, so its classes live as long as it does.
  private val classes = new ConcurrentHashMap[String, Class[_]]
  private val serializers = new ConcurrentHashMap[ByteBuffer, KryoSerializer]

  /** Of what this has read. */
  val stages = new StageTemplates(this, StageTemplates.stagesFound)
  private val partitions = new StageTemplates(this, StageTemplates.partitionsFound)

  def read[T](bytes: Array[Byte]): T = {
    val read =
      try new Stream(bytes, hasOwnLambdas = true).readObject()
      catch { case _: LambdaOfJava => new Stream(bytes, hasOwnLambdas = false).readObject() }
    read.asInstanceOf[T]
  }

  /** A task's partition, which most often differs in numbers only from those of other tasks and of earlier batches. */
  def readPartition(bytes: Array[Byte]): Partition =
    partitions.read(bytes, isCopied = false).fold(identity, _.copy()).asInstanceOf[Partition]

  /** A class that the loader finds. */
  def classNamed(name: String): Class[_] = {
    val known = classes.get(name)
    if (known != null) known else Class.forName(name, false, loader)
  }

  /** @param hasOwnLambdas whether lambdas are read by [[SerializedLambda]] */
  private final class Stream(bytes: Array[Byte], hasOwnLambdas: Boolean)
      extends ObjectInputStream(new ByteArrayInputStream(bytes)) {
    enableResolveObject(true)

    override def resolveClass(description: ObjectStreamClass): Class[_] = {
      val known = classes.get(description.getName)
      if (known != null) {
        known
      } else if (description.getName == ClosureReader.Lambda) {
        if (hasOwnLambdas) classOf[SerializedLambda] else classOf[JavasLambda]
      } else {
        val found = find(description)
        classes.put(description.getName, found)
        found
      }
    }

    private def find(description: ObjectStreamClass): Class[_] =
      try Class.forName(description.getName, false, loader)
      // Primitives.
      catch { case _: ClassNotFoundException => super.resolveClass(description) }

    override def resolveProxyClass(interfaces: Array[String]): Class[_] =
      Proxy
        .newProxyInstance(
          loader,
          interfaces.map(Class.forName(_, false, loader)),
          (_, method, _) => throw new UnsupportedOperationException(method.getName)
        )
        .getClass

    override def resolveObject(read: AnyRef): AnyRef = read match {
      case kryo: KryoSerializer if kryo.getClass == classOf[KryoSerializer] =>
        serializers.computeIfAbsent(ClosureReader.key(kryo), _ => kryo)
      case other => other
    }
  }
}

private[drizzle] object ClosureReader {
  private val Lambda = classOf[JavasLambda].getName

  // Guarded by this. A reader refers to its loader, which must not keep itself alive.
  private val readers = new WeakHashMap[ClassLoader, java.lang.ref.SoftReference[ClosureReader]]

  /** The reader for what the thread's class loader finds. */
  def ofThisThread: ClosureReader = synchronized {
    val loader = Thread.currentThread.getContextClassLoader
    val known = Option(readers.get(loader)).flatMap(reference => Option(reference.get))
    known.getOrElse {
      val reader = new ClosureReader(loader)
      readers.put(loader, new java.lang.ref.SoftReference(reader))
      reader
    }
  }

  /** What a serializer is made of. */
  private def key(kryo: KryoSerializer): ByteBuffer = ByteBuffer.wrap(Wire.bytes(kryo))
}
