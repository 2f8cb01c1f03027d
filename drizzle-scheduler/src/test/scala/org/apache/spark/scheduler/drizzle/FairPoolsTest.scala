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

import java.nio.file.{Files, Path}

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.SparkContext
import org.apache.spark.scheduler._
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Jobs of several pools in one application, on two executors of one core each. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FairPoolsTest {
  private val pools =
    """<allocations>
      |<pool name="heavy"><weight>4</weight></pool>
      |<pool name="light"><weight>1</weight></pool>
      |<pool name="fair"><schedulingMode>FAIR</schedulingMode></pool>
      |</allocations>""".stripMargin

  private var sc: SparkContext = _

  @BeforeAll
  def start(@TempDir dir: Path): Unit = {
    val file = Files.writeString(dir.resolve("pools.xml"), pools)
    sc = TestCluster.start(
      2,
      "spark.scheduler.mode" -> "FAIR",
      "spark.scheduler.allocation.file" -> file.toUri.toString
    )
    assertThat(sc.parallelize(0 until 20, 20).count()).isEqualTo(20L)
  }

  @AfterAll
  def stop(): Unit = if (sc != null) sc.stop()

  private def submit(pool: String, tasks: Int, taskMs: Long, isOfStock: Boolean) = {
    sc.setLocalProperty("spark.scheduler.pool", pool)
    def job = sc
      .parallelize(0 until tasks, tasks)
      .map { i =>
        Thread.sleep(taskMs)
        i
      }
      .collectAsync()
    try if (isOfStock) TestCluster.switchedOff(sc)(job) else job
    finally sc.setLocalProperty("spark.scheduler.pool", null)
  }

  /** How many tasks of the first job, of 60, ended between the second one's submission and the last of
    * its ten tasks.
    */
  private def meanwhile(
      first: String,
      second: String,
      taskMs: Long = 100,
      isFirstOfStock: Boolean = false,
      isSecondOfStock: Boolean = false
  ): Int = {
    val events = TestCluster.events(sc)
    val long = submit(first, 60, taskMs, isFirstOfStock)
    TestCluster.await(events.seen.exists(_.isInstanceOf[SparkListenerTaskEnd]))
    val short = submit(second, 10, taskMs, isSecondOfStock)
    assertThat(Await.result(short, Duration(60, "s")).sum).isEqualTo(45)
    assertThat(Await.result(long, Duration(60, "s")).sum).isEqualTo(1770)
    val stages = events.seen.collect { case e: SparkListenerStageSubmitted => e.stageInfo }
    val ends = events.seen.collect { case e: SparkListenerTaskEnd => e }
    val submittedMs = stages.last.submissionTime.get
    val endMs = ends.filter(_.stageId == stages.last.stageId).map(_.taskInfo.finishTime).max
    ends.filter(_.stageId == stages.head.stageId).map(_.taskInfo.finishTime).count { ms =>
      ms > submittedMs && ms <= endMs
    }
  }

  @Test
  def poolsGetSlotsByTheirWeights(): Unit =
    // A quarter of ten, and what ran already.
    assertThat(meanwhile("light", "heavy")).isLessThan(8)

  /** Spark does not know which slots are taken by others, and sends a task when it has heard that another has ended. */
  @Test
  def poolsOfWhatIsLeftToSparkAndOfOthersGetSlotsByTheirWeights(): Unit = {
    assertThat(meanwhile("light", "heavy", 200, isFirstOfStock = true)).isLessThan(9)
    assertThat(meanwhile("light", "heavy", 200, isSecondOfStock = true)).isLessThan(9)
    // Forty, if nothing else keeps the processor from it; ten if there were no weights.
    assertThat(meanwhile("heavy", "light", 200, isSecondOfStock = true)).isBetween(16, 50)
    assertThat(meanwhile("heavy", "light", 200, isFirstOfStock = true)).isBetween(16, 50)
  }

  @Test
  def inAPoolTheEarlierJobGoesFirstWhoeverHasSentItsTasks(): Unit = {
    assertThat(meanwhile("some", "some", isSecondOfStock = true)).isGreaterThan(40)
    assertThat(meanwhile("some", "some", isFirstOfStock = true)).isGreaterThan(40)
  }

  @Test
  def poolsThatNobodyHasDescribedAreMadeAndShareAlike(): Unit = {
    assertThat(meanwhile("some", "other")).isBetween(5, 24)
    assertThat(sc.getAllPools.map(_.name).toSet)
      .isEqualTo(Set("default", "heavy", "light", "fair", "some", "other"))
  }

  @Test
  def inAPoolTheEarlierJobGoesFirst(): Unit =
    assertThat(meanwhile("some", "some")).isGreaterThan(40)

  @Test
  def inAFairPoolJobsShareAlike(): Unit =
    assertThat(meanwhile("fair", "fair")).isBetween(5, 24)
}
