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

import scala.concurrent.Future
import scala.reflect.ClassTag

import com.codahale.metrics.Counter

import org.apache.spark.SparkContext
import org.apache.spark.rpc.{AbortableRpcFuture, RpcAddress, RpcEndpointRef, RpcTimeout}
import org.apache.spark.storage.BlockManagerMessages.RemoveRdd
import org.roaringbitmap.RoaringBitmap

/** The driver's way to the master of block managers, without what would remove nothing. When a batch of a streaming
  * application is done with, Spark has the blocks of each of its DStreams' RDDs removed, cached or not: the batches' own
  * thread waits until the driver has searched all blocks that it knows, and each executor is sent a message and answers it.
  *
  * Safe for use by several threads.
  *
  * @param spared counts what was left out
  */
private[drizzle] final class SparedRemovals(
    sc: SparkContext,
    master: RpcEndpointRef,
    spared: Counter
) extends RpcEndpointRef(sc.conf) {
  import SparedRemovals._

  // Guarded by this. RDDs whose removal was passed on: all that were cached until then, and what other threads asked for.
  private val removed = new RoaringBitmap

  override def address: RpcAddress = master.address

  override def name: String = master.name

  override def send(message: Any): Unit = master.send(message)

  override def ask[T: ClassTag](message: Any, timeout: RpcTimeout): Future[T] = message match {
    case RemoveRdd(rdd) if !mayHaveBlocks(rdd) =>
      spared.inc()
      Future.successful(NothingRemoved.asInstanceOf[T])
    case _ => master.ask[T](message, timeout)
  }

  override def askAbortable[T: ClassTag](
      message: Any,
      timeout: RpcTimeout
  ): AbortableRpcFuture[T] = master.askAbortable[T](message, timeout)

  /** An RDD that was cached is among those that the application keeps for as long as it lives, until its blocks are
    * removed. Afterwards, a task that still runs may put one more. Only with who clears batches is it certain that
    * the RDD lives: what an RDD has left that does not is removed by its number, too.
    */
  private def mayHaveBlocks(rdd: Int): Boolean = synchronized {
    val may = Thread.currentThread.getName != ClearsBatches || sc.persistentRdds.contains(rdd) ||
      removed.contains(rdd)
    if (may) {
      removed.add(rdd)
    }
    may
  }

  private def writeReplace(): AnyRef = master
}

private[drizzle] object SparedRemovals {

  /** Of the thread on which Spark Streaming makes batches and forgets them. */
  private[drizzle] val ClearsBatches = "JobGenerator"

  /** As the master answers: from each executor, how many blocks it had. */
  private val NothingRemoved = Future.successful(Seq.empty[Int])

  /** To be called before there is any RDD. */
  def install(sc: SparkContext, spared: Counter): Unit = {
    val blocks = sc.env.blockManager.master
    blocks.driverEndpoint = new SparedRemovals(sc, blocks.driverEndpoint, spared)
  }
}
