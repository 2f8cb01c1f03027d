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

import org.apache.spark.{Success, TaskContext, TaskKilled}
import org.apache.spark.scheduler._
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Slow tasks are tried on another host as well. */
@Timeout(300)
class SpeculationTest {
  private val settings = Seq(
    "spark.speculation" -> "true",
    "spark.speculation.quantile" -> "0.5",
    "spark.speculation.minTaskRuntime" -> "1s"
  )

  private def speculated(events: Events): Seq[Int] = events.seen.collect {
    case e: SparkListenerSpeculativeTaskSubmitted => e.taskIndex
  }

  private def ends(events: Events): Seq[SparkListenerTaskEnd] =
    events.seen.collect { case e: SparkListenerTaskEnd => e }

  /** The first attempts of the first map and of the first reduce would take an hour. */
  @Test
  def aSlowTaskIsOvertaken(): Unit = TestCluster.withTwoHosts(settings: _*) { sc =>
    val events = TestCluster.events(sc)
    val counted = sc.longAccumulator
    def slow(): Unit = {
      val task = TaskContext.get()
      counted.add(1)
      if (task.partitionId() == 0 && task.attemptNumber() == 0) Thread.sleep(3600 * 1000)
    }
    val sums = sc
      .parallelize(0 until 100, 6)
      .mapPartitions { numbers =>
        slow()
        numbers.map(i => (i % 7, i))
      }
      .reduceByKey(_ + _, 4)
      .mapPartitions { sums =>
        slow()
        sums
      }
    assertThat(sums.collect().toMap)
      .isEqualTo((0 until 100).groupMapReduce(_ % 7)(identity)(_ + _))
    // Of those attempts whose outputs count.
    assertThat(counted.value).isEqualTo(10L)
    // While JVMs are cold, others may be slow, too.
    val twice = TestCluster.source(sc).speculated.getCount.toInt
    assertThat(speculated(events).size).isGreaterThanOrEqualTo(twice)
    assertThat(speculated(events).count(_ == 0)).isEqualTo(2)
    // A killed task may be heard of when its job has ended.
    TestCluster.await(ends(events).size == 10 + twice)
    val (won, lost) = ends(events).partition(_.reason == Success)
    assertThat(won.size).isEqualTo(10)
    assertThat(won.filter(_.taskInfo.index == 0).map(_.taskInfo.attemptNumber))
      .isEqualTo(Seq(1, 1))
    assertThat(lost.forall(_.reason.isInstanceOf[TaskKilled])).isTrue
    for (attempt <- lost) {
      val info = attempt.taskInfo
      val other = won.find(e => e.stageId == attempt.stageId && e.taskInfo.index == info.index).get
      assertThat(other.taskInfo.host).isNotEqualTo(info.host)
      assertThat(other.taskInfo.speculative).isNotEqualTo(info.speculative)
    }
  }

  /** Attempts that end while they are being killed do not count a second time. */
  @Test
  def anAttemptThatEndsTooLateDoesNotCount(@TempDir dir: Path): Unit =
    TestCluster.withTwoHosts(settings: _*) { sc =>
      val gate = Files.createFile(dir.resolve("gate")).toString
      val events = TestCluster.events(sc)
      val counted = sc.longAccumulator
      val sum = sc.parallelize(0 until 4, 4).map { i =>
        counted.add(1)
        val task = TaskContext.get()
        if (i == 0) {
          if (task.attemptNumber() == 1) Files.delete(Path.of(gate))
          // As if killing came too late: it is interrupted, and goes on.
          else
            while (Files.exists(Path.of(gate)))
              try Thread.sleep(5)
              catch { case _: InterruptedException => }
        }
        i
      }
      assertThat(sum.collect().sum).isEqualTo(6)
      TestCluster.await(ends(events).size == 5)
      assertThat(ends(events).count(_.reason == Success)).isEqualTo(4)
      assertThat(counted.value).isEqualTo(4L)
    }

  @Test
  def withoutAnotherHostNothingIsTriedTwice(@TempDir dir: Path): Unit = {
    val sc = TestCluster.start(2, settings: _*)
    try {
      val gate = Files.createFile(dir.resolve("gate")).toString
      val events = TestCluster.events(sc)
      val numbers = sc.parallelize(0 until 6, 6).map { i =>
        if (i == 0) Gate.await(gate)
        i
      }
      val collected = numbers.collectAsync()
      TestCluster.await(speculated(events).contains(0))
      Files.delete(Path.of(gate))
      assertThat(Await.result(collected, Duration(60, "s")).sum).isEqualTo(15)
      assertThat(ends(events).size).isEqualTo(6)
    } finally sc.stop()
  }
}
