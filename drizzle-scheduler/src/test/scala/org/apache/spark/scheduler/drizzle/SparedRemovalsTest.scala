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

import java.util.concurrent.{Callable, FutureTask, TimeUnit}

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.storage.{RDDBlockId, StorageLevel}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterEach, BeforeEach, Test, Timeout}

class SparedRemovalsTest {
  private var sc: SparkContext = _

  @BeforeEach
  def start(): Unit = sc = TestCluster.start()

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
  private def blocksOf(rdd: Int): Int =
    sc.env.blockManager.master
      .getMatchingBlockIds(_.asRDDId.exists(_.rddId == rdd), askStorageEndpoints = true)
      .length
}
