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

import java.util.Properties

import scala.collection.mutable

import org.apache.spark.JobArtifactSet
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Who gets the slots of an executor, by a clock that the test sets. */
class ReadyTasksTest {
  private var nowMs = 0L
  private val running = mutable.ArrayBuffer.empty[(Long, Claim)]

  /** How long each pool has had slots, in milliseconds. */
  private val served = mutable.HashMap.empty[String, Long].withDefaultValue(0L)

  private def ready(slots: Int) = new ReadyTasks(slots, () => nowMs * 1000000)

  private def task(pool: PoolShare, stageId: Int, index: Int): AgentTask = new AgentTask(
    StageWork(
      StageKey(stageId, 0),
      stageId,
      StageBinary.Sent(Array.empty),
      1,
      JobArtifactSet.emptyJobArtifactSet,
      new Properties,
      pool,
      Array.empty,
      "application",
      None,
      None,
      1,
      Vector.empty,
      isTreeLevel = false,
      Vector.empty,
      Vector.empty
    ),
    TaskWork(stageId * 10000L + index, index, 0, index, Array.empty, 0, 0)
  )

  /** Runs tasks for a while.
    *
    * @param takesMs how long one takes
    * @return those that have begun, in their order
    */
  private def run(ready: ReadyTasks, slots: Int, untilMs: Long)(
      takesMs: Claim => Long
  ): Seq[Claim] = {
    val begun = mutable.ArrayBuffer.empty[Claim]
    while (nowMs < untilMs && (ready.nonEmpty || running.nonEmpty)) {
      while (running.size < slots && ready.nonEmpty) {
        val next = ready.headOption.get
        ready.begins(next)
        begun += next
        served(next.pool.name) += takesMs(next)
        running += (nowMs + takesMs(next) -> next)
      }
      val first = running.minBy(_._1)
      nowMs = first._1
      running -= first
      ready.ended(first._2)
    }
    begun.toSeq
  }

  @Test
  def withoutPoolsTheEarlierJobGoesFirst(): Unit = {
    val queue = ready(2)
    for (i <- 0 until 10; stage <- Seq(3, 1, 2)) queue.add(task(PoolShare.Whole, stage, i))
    val begun = run(queue, 2, Long.MaxValue)(_ => 10)
    assertThat(begun.map(_.jobId)).isEqualTo(Seq(1, 2, 3).flatMap(Seq.fill(10)(_)))
    assertThat(queue.nonEmpty).isFalse
  }

  @Test
  def timeIsSharedByWeightsHoweverLongTasksTake(): Unit = for (slots <- Seq(1, 4)) {
    nowMs = 0
    served.clear()
    running.clear()
    val queue = ready(slots)
    val (one, three) = (PoolShare("one", 1, 0, false), PoolShare("three", 3, 0, false))
    for (i <- 0 until 9999) {
      queue.add(task(one, 1, i))
      queue.add(task(three, 2, i))
    }
    run(queue, slots, 20000)(task => if (task.pool == one) 70 else 10)
    assertThat(served("three").toDouble / served("one")).isBetween(2.8, 3.2)
  }

  @Test
  def whatIsGuaranteedComesFirst(): Unit = {
    val queue = ready(1)
    val guaranteed = PoolShare("guaranteed", 1, 0.6, isFair = false)
    val heavy = PoolShare("heavy", 9, 0, isFair = false)
    for (i <- 0 until 9999) {
      queue.add(task(guaranteed, 2, i))
      queue.add(task(heavy, 1, i))
    }
    run(queue, 1, 20000)(_ => 10)
    assertThat(served("guaranteed") / 20000.0).isBetween(0.58, 0.68)
  }

  @Test
  def idleTimeEarnsNothing(): Unit = {
    val queue = ready(1)
    val (busy, late) = (PoolShare("busy", 1, 0, false), PoolShare("late", 1, 0, false))
    for (i <- 0 until 9999) queue.add(task(busy, 1, i))
    run(queue, 1, 10000)(_ => 10)
    for (i <- 0 until 9999) queue.add(task(late, 2, i))
    run(queue, 1, 12000)(_ => 10)
    assertThat(served("late")).isBetween(900L, 1100L)
  }

  /** Of what Spark has sent itself, the next task comes when others have begun. */
  @Test
  def whoIsGoneForAMomentGetsNoMoreThanItsShare(): Unit = {
    val queue = ready(1)
    val (steady, other) = (PoolShare("steady", 4, 0, false), PoolShare("other", 1, 0, false))
    for (i <- 0 until 9999) queue.add(task(steady, 1, i))
    queue.add(task(other, 2, 0))
    var isGone = false
    while (nowMs < 10000) {
      val next = queue.headOption.get
      queue.begins(next)
      nowMs += 10
      served(next.pool.name) += 10
      queue.ended(next)
      if (next.pool == other) {
        isGone = true
      } else if (isGone) {
        queue.add(task(other, 2, nowMs.toInt))
        isGone = false
      }
    }
    assertThat(served("other")).isBetween(1900L, 2100L)
  }

  /** Nobody has to make up for an hour at once. */
  @Test
  def aLongTaskIsNotHeldAgainstItsPoolForLong(): Unit = {
    val queue = ready(1)
    val (slow, quick) = (PoolShare("slow", 1, 0, false), PoolShare("quick", 1, 0, false))
    for (i <- 0 until 9999) queue.add(task(slow, 1, i))
    def takesMs(task: Claim): Long =
      if (task.pool == slow && task.index == 0) 3600000L else 10L
    for (i <- 0 until 9999) queue.add(task(quick, 2, i))
    run(queue, 1, 11)(takesMs)
    assertThat(nowMs).isEqualTo(3600010L)
    served.clear()
    run(queue, 1, nowMs + 4000)(takesMs)
    assertThat(served("slow")).isBetween(1400L, 1600L)
  }

  @Test
  def taskSetsOfAFairPoolShareAlike(): Unit = {
    val queue = ready(1)
    val fair = PoolShare("fair", 1, 0, isFair = true)
    for (i <- 0 until 9999; stage <- 1 to 3) queue.add(task(fair, stage, i))
    val byStage = run(queue, 1, 9000)(_ => 10).groupBy(_.jobId).view.mapValues(_.size)
    (1 to 3).foreach(stage => assertThat(byStage(stage)).isBetween(290, 310))
  }

  @Test
  def whatIsTakenAwayIsNotThere(): Unit = {
    val queue = ready(1)
    val pools =
      Seq(PoolShare.Whole, PoolShare("a", 2, 0.5, true), PoolShare("b", 1, 0, false))
    val tasks = for (pool <- pools; i <- 0 until 5) yield task(pool, pools.indexOf(pool), i)
    tasks.foreach(queue.add)
    assertThat(queue.iterator.toSet).isEqualTo(tasks.toSet)
    val (gone, left) = tasks.partition(_.work.index % 2 == 0)
    gone.foreach(queue.remove)
    assertThat(queue.iterator.toSet).isEqualTo(left.toSet)
    assertThat(run(queue, 1, Long.MaxValue)(_ => 1).toSet).isEqualTo(left.toSet)
    assertThat(queue.nonEmpty).isFalse
  }
}
