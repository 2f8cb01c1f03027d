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

import java.util.concurrent.{Callable, CountDownLatch, FutureTask, TimeUnit}

import scala.annotation.nowarn

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.storage.{RDDBlockId, StorageLevel}
import org.apache.spark.streaming.{ManualBatches, Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.dstream.ConstantInputDStream
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterEach, BeforeEach, Test, Timeout}

@nowarn("cat=deprecation") // DStreams are what many have.
class SparedRemovalsTest {
  private var sc: SparkContext = _

  @BeforeEach
  def start(): Unit = sc = TestCluster.start(2, ManualBatches.settings: _*)

  @AfterEach
  def stop(): Unit = sc.stop()

  @Test
  @Timeout(120)
  def anRddThatWasNeverCachedIsRemovedFromNowhere(): Unit = {
    val rdd = sc.parallelize(1 to 10, 2)
    assertThat(rdd.count()).isEqualTo(10L)
    clearing(rdd.unpersist(blocking = true))
    assertThat(spared).isEqualTo(1L)
  }

  @Test
  @Timeout(120)
  def whatWasCachedIsRemoved(): Unit = {
    val rdd = sc.parallelize(1 to 10, 2).cache()
    assertThat(rdd.count()).isEqualTo(10L)
    assertThat(blocksOf(rdd.id)).isEqualTo(2)
    clearing(rdd.unpersist(blocking = true))
    assertThat(blocksOf(rdd.id)).isEqualTo(0)
    assertThat(spared).isEqualTo(0L)
  }

  /** As a second attempt at a task does that has not been told yet. */
  @Test
  @Timeout(120)
  def whatComesAfterItIsRemovedTheNextTime(): Unit = {
    val rdd = sc.parallelize(1 to 10, 2).cache()
    rdd.unpersist(blocking = true)
    putBlockOf(rdd.id)
    assertThat(blocksOf(rdd.id)).isEqualTo(1)
    clearing(rdd.unpersist(blocking = true))
    assertThat(blocksOf(rdd.id)).isEqualTo(0)
    assertThat(spared).isEqualTo(0L)
  }

  /** Others, as Spark's cleaner, may remove what an RDD has left that is none any more. */
  @Test
  @Timeout(120)
  def othersRemoveWhatTheyAskFor(): Unit = {
    val rdd = sc.parallelize(1 to 10, 2)
    putBlockOf(rdd.id)
    sc.unpersistRDD(rdd.id, blocking = true)
    assertThat(blocksOf(rdd.id)).isEqualTo(0)
    assertThat(spared).isEqualTo(0L)
  }

  @Test
  @Timeout(300)
  def batchesLeaveNothingThatTheyHaveCached(): Unit = {
    val batches = 20
    val streaming = new StreamingContext(sc, Milliseconds(100))
    val ended = new CountDownLatch(batches)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
        ended.countDown()
    })
    val numbers = new ConstantInputDStream(streaming, sc.parallelize(1 to 10, 2))
    val cached = numbers.map(_ + 1).persist(StorageLevel.MEMORY_ONLY)
    cached.foreachRDD { (rdd, _: Time) =>
      val sum = rdd.sum()
      assertThat(sum).isEqualTo(65.0)
    }
    cached.map(_ * 2).foreachRDD { (rdd, _: Time) =>
      val sum = rdd.sum()
      assertThat(sum).isEqualTo(130.0)
    }
    val due = new ManualBatches(streaming)
    streaming.start()
    try {
      due.come(batches)
      assertThat(ended.await(2, TimeUnit.MINUTES)).isTrue
      // The input's RDD and the last one's, of each batch that is done with; the last one is remembered.
      TestCluster.await(spared >= 2 * (batches - 2))
      TestCluster.await(blocksOfAll <= 2 * 2)
    } finally streaming.stop(stopSparkContext = false, stopGracefully = false)
  }

  private def spared: Long = TestCluster.source(sc).removalsSpared.getCount

  /** Does something on a thread like that on which Spark Streaming clears batches. */
  private def clearing(run: => Unit): Unit = {
    val task = new FutureTask[Unit]((() => run): Callable[Unit])
    new Thread(task, SparedRemovals.ClearsBatches).start()
    task.get(1, TimeUnit.MINUTES)
  }

  private def putBlockOf(rdd: Int): Unit =
    sc.parallelize(Seq(0), 1)
      .foreach { _ =>
        SparkEnv.get.blockManager.putSingle(RDDBlockId(rdd, 0), 1, StorageLevel.MEMORY_ONLY)
        ()
      }

  /** How many its executors have. */
  private def blocksOf(rdd: Int): Int = blocks(_.rddId == rdd)

  private def blocksOfAll: Int = blocks(_ => true)

  private def blocks(are: RDDBlockId => Boolean): Int =
    sc.env.blockManager.master
      .getMatchingBlockIds(_.asRDDId.exists(are), askStorageEndpoints = true)
      .length
}
