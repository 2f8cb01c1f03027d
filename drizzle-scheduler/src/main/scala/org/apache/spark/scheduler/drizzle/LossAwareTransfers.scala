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

import java.io.IOException
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap}
import java.util.concurrent.atomic.LongAdder

import scala.collection.mutable
import scala.concurrent.Future
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import com.codahale.metrics.MetricSet
import org.apache.spark.internal.Logging
import org.apache.spark.network.{BlockDataManager, BlockTransferService}
import org.apache.spark.network.buffer.ManagedBuffer
import org.apache.spark.network.shuffle.{BlockFetchingListener, DownloadFileManager}
import org.apache.spark.network.shuffle.checksum.Cause
import org.apache.spark.storage.{BlockId, BlockManager, StorageLevel}

/** What an executor fetches from others, with Spark's own service, but what it fetches from a lost executor fails as
  * soon as that is known. Spark waits for `spark.shuffle.io.retryWait`, five seconds, before it looks whether the
  * other one is still there, or for the network's timeout where no connection was closed. A task that waits for it
  * holds its slot, and there may be no other slot left. Safe for use by several threads.
  */
private[drizzle] final class LossAwareTransfers(stock: BlockTransferService)
    extends BlockTransferService
    with Logging {
  private val ended = new LongAdder

  // Both are guarded by this.
  private val lost = new RecentSet[String]
  private val fetches = mutable.HashMap.empty[String, mutable.Set[Fetch]]

  /** How many blocks nobody waits for any more because their executor was lost. */
  def endedCount: Long = ended.sum()

  /** No blocks will come from it: the driver has forgotten what it had. */
  def executorLost(executorId: String): Unit = {
    val vain = synchronized {
      lost.add(executorId)
      fetches.remove(executorId)
    }
    vain.foreach { all =>
      logInfo(s"${all.size} fetches are ended: executor $executorId is lost")
      all.foreach(_.end())
    }
  }

  override def fetchBlocks(
      host: String,
      port: Int,
      executorId: String,
      blockIds: Array[String],
      listener: BlockFetchingListener,
      files: DownloadFileManager
  ): Unit = {
    val fetch = new Fetch(executorId, blockIds, listener)
    val isLost = synchronized {
      if (!lost.contains(executorId)) {
        fetches.getOrElseUpdate(executorId, mutable.HashSet.empty) += fetch
      }
      lost.contains(executorId)
    }
    if (isLost) fetch.end()
    else stock.fetchBlocks(host, port, executorId, blockIds, fetch, files)
  }

  /** How many fetches have not ended. */
  def openCount: Int = synchronized(fetches.valuesIterator.map(_.size).sum)

  private def close(fetch: Fetch): Unit = synchronized {
    for (others <- fetches.get(fetch.executorId)) {
      others -= fetch
      if (others.isEmpty) {
        fetches -= fetch.executorId
      }
    }
  }

  /** Tells of each block once, as whoever gets there first has it. */
  private final class Fetch(
      val executorId: String,
      blockIds: Array[String],
      to: BlockFetchingListener
  ) extends BlockFetchingListener {
    private val expected = ConcurrentHashMap.newKeySet[String]()
    expected.addAll(blockIds.toSeq.asJava)

    override def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit =
      if (isFirst(blockId)) {
        to.onBlockFetchSuccess(blockId, data)
      }

    override def onBlockFetchFailure(blockId: String, cause: Throwable): Unit =
      if (isFirst(blockId)) {
        to.onBlockFetchFailure(blockId, cause)
      }

    def end(): Unit = for (blockId <- blockIds if isFirst(blockId)) {
      ended.increment()
      to.onBlockFetchFailure(
        blockId,
        new IOException(s"$blockId is not waited for: executor $executorId is lost")
      )
    }

    private def isFirst(blockId: String): Boolean = expected.remove(blockId) && {
      if (expected.isEmpty) {
        close(this)
      }
      true
    }
  }

  // All else is Spark's.

  override def init(blocks: BlockDataManager): Unit = stock.init(blocks)

  override def port: Int = stock.port

  override def hostName: String = stock.hostName

  override def uploadBlock(
      host: String,
      port: Int,
      executorId: String,
      blockId: BlockId,
      data: ManagedBuffer,
      level: StorageLevel,
      tag: ClassTag[_]
  ): Future[Unit] = stock.uploadBlock(host, port, executorId, blockId, data, level, tag)

  override def shuffleMetrics(): MetricSet = stock.shuffleMetrics()

  override def setAppAttemptId(id: String): Unit = stock.setAppAttemptId(id)

  override def getAppAttemptId: String = stock.getAppAttemptId

  override def getHostLocalDirs(
      host: String,
      port: Int,
      executorIds: Array[String],
      directories: CompletableFuture[java.util.Map[String, Array[String]]]
  ): Unit = stock.getHostLocalDirs(host, port, executorIds, directories)

  override def diagnoseCorruption(
      host: String,
      port: Int,
      executorId: String,
      shuffleId: Int,
      mapId: Long,
      reduceId: Int,
      checksum: Long,
      algorithm: String
  ): Cause = stock.diagnoseCorruption(
    host,
    port,
    executorId,
    shuffleId,
    mapId,
    reduceId,
    checksum,
    algorithm
  )

  override def close(): Unit = stock.close()
}

private[drizzle] object LossAwareTransfers extends Logging {

  /** Has an executor fetch with it, if it fetches from executors: what an external service has outlives them.
    *
    * @return empty if it does not
    */
  def install(blocks: BlockManager): Option[LossAwareTransfers] =
    if (blocks.blockStoreClient ne blocks.blockTransferService) {
      None
    } else {
      try {
        val (service, client) = (field("blockTransferService"), field("blockStoreClient"))
        val transfers = new LossAwareTransfers(blocks.blockTransferService)
        service.set(blocks, transfers)
        client.set(blocks, transfers)
        Some(transfers)
      } catch {
        case e: ReflectiveOperationException =>
          logInfo(
            s"What is fetched from lost executors fails when Spark sees it: it has no ${e.getMessage}"
          )
          None
      }
    }

  private def field(name: String) = Private.field(classOf[BlockManager], name)
}
