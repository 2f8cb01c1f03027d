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

import java.io.{IOException, InputStream}
import java.nio.ByteBuffer
import java.util.concurrent.{CompletableFuture, ExecutionException}

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.shuffle.BlockFetchingListener

/** A block that was asked for and is not there yet. Spark takes what lies on the same host for files, and
  * opens them on the very thread that receives what other executors send. Only a task may wait for it.
  *
  * Safe for use by several threads.
  */
private[drizzle] final class OwnersBuffer
    extends ManagedBuffer
    with BlockFetchingListener
    with Logging {
  private val content = new CompletableFuture[ManagedBuffer]

  override def onBlockFetchSuccess(id: String, data: ManagedBuffer): Unit = {
    // The data is the network's, and not there for longer than this call.
    val copy = ByteBuffer.allocate(data.size.toInt)
    copy.put(data.nioByteBuffer())
    copy.flip()
    content.complete(new NioManagedBuffer(copy))
  }

  override def onBlockFetchFailure(id: String, cause: Throwable): Unit = {
    logWarning(s"Block $id was not had from its executor's memory", cause)
    content.completeExceptionally(cause)
  }

  /** In bytes. As long as nothing has come, 1 for those who cannot wait; 0 if nothing will come, by which
    * Spark's reader knows that the block is lost.
    */
  override def size(): Long =
    if (!content.isDone && TaskContext.get() == null) 1
    else if (await.isLeft) 0
    else received.size()

  override def nioByteBuffer(): ByteBuffer = received.nioByteBuffer()

  override def createInputStream(): InputStream = received.createInputStream()

  override def convertToNetty(): AnyRef = received.convertToNetty()

  /** Only Spark 4 asks for it. */
  def convertToNettyForSsl(): AnyRef = convertToNetty()

  override def retain(): ManagedBuffer = this

  override def release(): ManagedBuffer = this

  private def await: Either[Throwable, ManagedBuffer] =
    try Right(content.get())
    catch { case e: ExecutionException => Left(e.getCause) }

  private def received: ManagedBuffer =
    await.fold(e => throw new IOException("The block could not be had", e), identity)
}
