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

import org.apache.spark.{HashPartitioner, SparkConf, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.ExecutorCacheTaskLocation
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CachedPartitionsTest {
  private var sc: SparkContext = _
  private val cached = new CachedPartitions
  private var stages = 0
  private var tasks = 0L

  @BeforeAll
  def start(): Unit = {
    val conf = new SparkConf(false).setMaster("local").setAppName("cached")
    sc = new SparkContext(conf.set("spark.ui.enabled", "false"))
  }

  @AfterAll
  def stop(): Unit = if (sc != null) sc.stop()

  private def rdd(partitions: Int): RDD[(Int, Int)] =
    sc.parallelize((0 until 20).map(i => (i, i)), partitions)

  private def run(of: RDD[_], isCached: (RDD[_], Int) => Boolean = (_, _) => false): StageRun = {
    stages += 1
    val made = StageRunTest.run(stages, of.partitions.indices)
    cached.add(made, of, isCached)
    made
  }

  private def agent(id: String) =
    new AgentHandle(id, "h", RpcAddress("h", 1), Some(1), null, null)

  private def send(run: StageRun, index: Int, executor: String): Attempt = {
    tasks += 1
    val attempt = new Attempt(run, run.next(index, tasks), agent(executor), isSpeculative = false)
    run.sent(attempt)
    run.pending -= index
    attempt
  }

  /** Those tasks that a task waits for, by stage and index. */
  private def led(run: StageRun, index: Int): Option[Seq[(Int, Int)]] =
    run.leaders(index).map(_.map(leader => (leader.run.key.stageId, leader.index)))

  private def forget(runs: StageRun*): Unit = {
    runs.foreach(cached.remove)
    assertThat(cached.isEmpty).isTrue
  }

  @Test
  def aTaskFollowsThoseThatCacheWhatItReads(): Unit = {
    val state = rdd(3).persist()
    val before = run(state.map(identity))
    // Through each kind of narrow dependency, and through what is persisted itself.
    val next = run(state.union(rdd(2)).coalesce(2).persist())
    assertThat(before.leaders(0).contains(Vector.empty)).isTrue
    assertThat(before.followers.toSet == Set(next)).isTrue
    // Those that it follows have to be sent first.
    assertThat(next.leaders(0).isEmpty).isTrue
    (0 to 2).foreach(i => send(before, i, s"executor$i"))
    val all = (0 to 1).flatMap(led(next, _)).flatten
    assertThat(all.sorted == (0 to 2).map((before.key.stageId, _))).isTrue
    forget(before, next)
  }

  @Test
  def itIsSentWhereTheyAre(): Unit = {
    val state = rdd(2).persist()
    val (before, next) = (run(state), run(state.mapValues(_ + 1)))
    val attempt = send(before, 1, "executor7")
    val there = Seq(ExecutorCacheTaskLocation("h", "executor7"))
    assertThat(next.preferred(1) == there).isTrue
    // Also when it has ended since Spark was asked what it prefers.
    before.forget(attempt)
    before.succeed(attempt)
    assertThat(next.preferred(1) == there).isTrue
    assertThat(next.leaders(1).contains(Vector.empty)).isTrue
    forget(before, next)
  }

  @Test
  def itFollowsNobodyWhoIsGivenBackOrGivenUp(): Unit = {
    val state = rdd(2).persist()
    val (before, next) = (run(state), run(state.mapValues(_ + 1)))
    val attempt = send(before, 0, "executor1")
    assertThat(led(next, 0).contains(Seq((before.key.stageId, 0)))).isTrue
    attempt.isRecalled = true
    assertThat(led(next, 0).isEmpty).isTrue
    before.isZombie = true
    assertThat(next.leaders(0).contains(Vector.empty)).isTrue
    forget(before, next)
  }

  @Test
  def whatIsCachedOrReadThroughAShuffleIsNotFollowed(): Unit = {
    val state = rdd(2).persist()
    val before = run(state)
    val shuffled = run(state.partitionBy(new HashPartitioner(3)))
    val beside = run(rdd(2).persist())
    val further = state.mapValues(_ + 1).persist()
    val found = run(further.mapValues(_ + 1), (rdd, _) => rdd eq further)
    for (other <- Seq(shuffled, beside, found); index <- other.works.indices)
      assertThat(other.leaders(index).contains(Vector.empty)).isTrue
    assertThat(before.followers.isEmpty).isTrue
    forget(before, shuffled, beside, found)
  }

  /** Or each batch would keep the one before it, for ever. */
  @Test
  def whatHasEndedFollowsNobody(): Unit = {
    val state = rdd(1).persist()
    val (before, next) = (run(state), run(state.mapValues(_ + 1)))
    assertThat(next.leaders(0).isEmpty).isTrue
    next.followNone()
    assertThat(next.leaders(0).contains(Vector.empty)).isTrue
    forget(before, next)
  }
}
