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
import java.nio.file.Path

import scala.collection.mutable
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.{Duration, MINUTES}
import scala.reflect.ClassTag

import org.apache.spark.{FutureAction, SparkContext}
import org.apache.spark.network.{BlockDataManager, BlockTransferService}
import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.shuffle.{BlockFetchingListener, DownloadFileManager}
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.{BlockId, StorageLevel}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

@Timeout(300)
class LossAwareTransfersTest {
  import LossAwareTransfersTest._

  private val stock = new Stock
  private val transfers = new LossAwareTransfers(stock)

  @Test
  def whatIsFetchedFromALostExecutorFailsAtOnce(): Unit = {
    val (of1, of2) = (fetch("1", "a", "b"), fetch("2", "c"))
    stock.listeners(0).onBlockFetchSuccess("a", Data)
    transfers.executorLost("1")
    assertThat(of1.told).isEqualTo(Seq("a came", "b failed"))
    assertThat(of2.told).isEqualTo(Seq())
    stock.listeners(1).onBlockFetchSuccess("c", Data)
    assertThat(of2.told).isEqualTo(Seq("c came"))
    assertThat(transfers.endedCount).isEqualTo(1L)
    assertThat(transfers.openCount).isZero()
  }

  @Test
  def whatComesTooLateIsNotTold(): Unit = {
    val fetched = fetch("1", "a", "b")
    transfers.executorLost("1")
    stock.listeners(0).onBlockFetchSuccess("a", Data)
    stock.listeners(0).onBlockFetchFailure("b", new Exception)
    assertThat(fetched.told).isEqualTo(Seq("a failed", "b failed"))
  }

  @Test
  def nothingIsAskedOfALostExecutor(): Unit = {
    transfers.executorLost("1")
    assertThat(fetch("1", "a").told).isEqualTo(Seq("a failed"))
    assertThat(stock.listeners.isEmpty).isTrue()
    assertThat(transfers.openCount).isZero()
  }

  @Test
  def whatHasEndedIsForgotten(): Unit = {
    val fetched = fetch("1", "a", "b")
    assertThat(transfers.openCount).isOne()
    stock.listeners(0).onBlockFetchFailure("a", new Exception)
    stock.listeners(0).onBlockFetchFailure("a", new Exception)
    stock.listeners(0).onBlockFetchSuccess("b", Data)
    assertThat(fetched.told).isEqualTo(Seq("a failed", "b came"))
    assertThat(transfers.openCount).isZero()
    transfers.executorLost("1")
    assertThat(fetched.told.size).isEqualTo(2)
    assertThat(transfers.endedCount).isZero()
  }

  @Test
  def aReduceDoesNotWaitForALostExecutor(@TempDir dir: Path): Unit = withPatience { sc =>
    val maps = sc.parallelize(0 until 80, 8).flatMap(i => Seq.tabulate(100)(j => (j, i)))
    val sums = whileItsSourceIsLost(sc, dir, tasks = 2) {
      _.zipPartitions(maps.groupByKey(2)) { (_, groups) =>
        groups.map { case (key, values) => key -> values.sum }
      }
    }
    assertThat(sums.toMap).isEqualTo((0 until 100).map(_ -> 3160).toMap)
  }

  @Test
  def aCachedBlockOfALostExecutorIsMadeAgain(@TempDir dir: Path): Unit = withPatience { sc =>
    val cached = sc.parallelize(0 until 1000, 8).map(_ * 2).cache()
    assertThat(cached.count()).isEqualTo(1000L)
    val read = whileItsSourceIsLost(sc, dir, tasks = 1) {
      _.zipPartitions(cached.coalesce(1))((_, numbers) => numbers)
    }
    assertThat(read.sorted).isEqualTo(Seq.tabulate(1000)(_ * 2))
  }

  private def fetch(executorId: String, blocks: String*): Listener = {
    val listener = new Listener
    transfers.fetchBlocks("host", 1, executorId, blocks.toArray, listener, null)
    listener
  }

  /** With two executors that read what others have over the network, as if they were on two hosts, and do not try again
    * before a test has failed.
    */
  private def withPatience(test: SparkContext => Unit): Unit = {
    val sc = TestCluster.start(
      2,
      "spark.shuffle.io.retryWait" -> "10m",
      "spark.shuffle.readHostLocalDisk" -> "false",
      "spark.freshet.drizzle.mapOutputs.inMemory" -> "0"
    )
    try test(sc)
    finally sc.stop()
  }

  /** Runs a job of which one executor's task waits for what the other one has, while that stands still, and then ends.
    *
    * @param job reads what executors have after elements of an empty RDD, of which it has that many partitions
    */
  private def whileItsSourceIsLost[A: ClassTag](sc: SparkContext, dir: Path, tasks: Int)(
      job: RDD[Int] => RDD[A]
  ): Seq[A] = {
    val holds = new Holds(dir)
    val (one, other) = TestCluster.executors(sc)
    holds.set("reading")
    holds.set("begin")
    val begun = sc.parallelize(Seq.empty[Int], tasks).mapPartitions { none =>
      holds.at("begin")
      new Thread(() => holds.at("reading", TestCluster.agentHas("fetches.open") > 0)).start()
      none
    }
    val result: FutureAction[Seq[A]] = job(begun).collectAsync()
    TestCluster.await(Seq(one, other).count(holds.isAt("begin", _)) == tasks)
    val (reader, source) = if (holds.isAt("begin", one)) (one, other) else (other, one)
    TestCluster.signals(s"kill -STOP $source")
    holds.release("begin")
    holds.awaitAt("reading", reader)
    TestCluster.end(source)
    holds.release("reading")
    val read = Await.result(result, Duration(1, MINUTES))
    val ended = sc
      .parallelize(0 until 8, 8)
      .map(_ => ProcessHandle.current.pid -> TestCluster.agentHas("fetches.ended"))
      .collect()
      .toMap
    assertThat(ended(reader)).isPositive()
    read
  }
}

private object LossAwareTransfersTest {
  private val Data = new NioManagedBuffer(ByteBuffer.allocate(1))

  private final class Listener extends BlockFetchingListener {
    private val all = mutable.ArrayBuffer.empty[String]

    def told: Seq[String] = all.toSeq

    override def onBlockFetchSuccess(id: String, data: ManagedBuffer): Unit = all += s"$id came"

    override def onBlockFetchFailure(id: String, e: Throwable): Unit = all += s"$id failed"
  }

  /** Remembers who asks it for blocks. */
  private final class Stock extends BlockTransferService {
    val listeners: mutable.ArrayBuffer[BlockFetchingListener] = mutable.ArrayBuffer.empty

    override def fetchBlocks(
        host: String,
        port: Int,
        executorId: String,
        blockIds: Array[String],
        listener: BlockFetchingListener,
        files: DownloadFileManager
    ): Unit = listeners += listener

    override def init(blocks: BlockDataManager): Unit = ()

    override def port: Int = 1

    override def hostName: String = "host"

    override def uploadBlock(
        host: String,
        port: Int,
        executorId: String,
        blockId: BlockId,
        data: ManagedBuffer,
        level: StorageLevel,
        tag: ClassTag[_]
    ): Future[Unit] = Future.unit

    override def close(): Unit = ()
  }
}
