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
package org.apache.spark.scheduler.drizzle.iterate

import java.nio.file.{Files, Path}

import org.apache.spark.{HashPartitioner, ShuffleDependency, SparkContext, SparkException}
import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{SparkListenerJobStart, SparkListenerTaskStart}
import org.apache.spark.scheduler.drizzle.{Gate, Once, TestCluster}
import org.apache.spark.shuffle.FetchFailedException
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.freshet.drizzle.iterate.{DenseVariable, Iterations}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Iterations some of whose tasks or executors do not live to their end; the oracle is a run without faults. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IterationFaultsTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = {
    sc = TestCluster.start()
    // Tasks that are meant to fail are warned of.
    sc.setLogLevel("ERROR")
  }

  @AfterAll
  def stop(): Unit = sc.stop()

  @Test
  def whatFailedIsRunAgainFromTheLastBoundary(@TempDir dir: Path): Unit =
    for (seed <- 1L to 20L) {
      val once = new Once(dir)
      val at = 1 + (seed % 6).toInt
      new RandomIterations(
        seed,
        (iteration, partition) =>
          if (iteration == at && partition == seed % 3 && once.isFirst) {
            throw new IllegalStateException("This task is meant to fail")
          }
      ).check(sc)
    }

  @Test
  def aGroupWhoseSizeIsTunedIsRunAgain(@TempDir dir: Path): Unit =
    for (isLost <- Seq(false, true)) {
      val once = new Once(dir)
      val events = TestCluster.events(sc)
      val sum = new DenseVariable("sum", Array(1.0))
      val data = sc.parallelize(0 until 4, 4).cache()
      val found = Iterations.iterate(data, 80, variables = Seq(sum)) { (iteration, _, shared) =>
        shared.update(sum, Array(shared.get(sum).head * 0.1))
        if (iteration == 42 && once.isFirst) {
          if (isLost) Runtime.getRuntime.halt(1)
          throw new IllegalStateException("This task is meant to fail")
        }
      }
      data.unpersist()
      assertThat(found(sum)).isEqualTo(grown(80))
      val groups = TestCluster.groups(events.seen)
      val withFault = groups.filter(group => group.first <= 42 && group.last >= 42)
      assertThat(withFault.size).isEqualTo(2)
      assertThat(withFault.distinct.size).isEqualTo(1)
      assertThat(withFault.head.last - withFault.head.first).isGreaterThan(0)
      assertThat(groups.distinct.map(group => group.last - group.first + 1).sum).isEqualTo(80)
      TestCluster.awaitAgents(sc, 2)
    }

  @Test
  def anExecutorDiesWhileATaskIterates(@TempDir dir: Path): Unit =
    for (seed <- 21L to 26L) {
      val once = new Once(dir)
      val at = 1 + (seed % 4).toInt
      new RandomIterations(
        seed,
        (iteration, _) => if (iteration == at && once.isFirst) Runtime.getRuntime.halt(1)
      ).check(sc)
      TestCluster.awaitAgents(sc, 2)
    }

  @Test
  def anExecutorDiesWhenItsTasksHaveCommittedTheirLastUpdates(@TempDir dir: Path): Unit = {
    val once = new Once(dir)
    val sum = new DenseVariable("sum", Array(1.0))
    val found = Iterations.iterate(sc.parallelize(0 until 4, 4), 6, 3, Seq(sum)) {
      (iteration, rows, shared) =>
        shared.update(sum, Array(shared.get(sum).head * 0.1))
        shared.commit(sum)
        if (iteration == 6 && rows.contains(3) && once.isFirst) Runtime.getRuntime.halt(1)
    }
    assertThat(found(sum)).isEqualTo(grown(6))
    TestCluster.awaitAgents(sc, 2)
  }

  @Test
  def anExecutorDiesBetweenTwoGroups(@TempDir dir: Path): Unit = {
    val once = new Once(dir)
    val sum = new DenseVariable("sum", Array(1.0))
    val kill: Any => Boolean = _ => {
      sc.parallelize(0 until 2, 2).foreach(_ => if (once.isFirst) Runtime.getRuntime.halt(1))
      false
    }
    val data = sc.parallelize(0 until 4, 4).cache()
    val found = Iterations.iterate(data, 9, 3, Seq(sum), kill) { (_, _, shared) =>
      shared.update(sum, Array(shared.get(sum).head * 0.1))
    }
    assertThat(found(sum)).isEqualTo(grown(9))
    TestCluster.awaitAgents(sc, 2)
  }

  @Test
  def lostInputsOfAGroupAreComputedAgain(@TempDir dir: Path): Unit = {
    val once = new Once(dir)
    val sum = new DenseVariable("sum", Array(1.0))
    val shuffled = sc.parallelize(0 until 40, 4).map(i => (i % 4, 1)).reduceByKey(_ + _, 4)
    val found = Iterations.iterate(shuffled, 6, 3, Seq(sum)) { (iteration, counts, shared) =>
      val tens = counts.map(_._2).sum / 10
      shared.update(sum, Array(shared.get(sum).head * 0.1 * tens))
      if (iteration == 5 && once.isFirst) Runtime.getRuntime.halt(1)
    }
    assertThat(found(sum)).isEqualTo(grown(6))
    TestCluster.awaitAgents(sc, 2)
  }

  @Test
  def aPartitionMayFailAsOftenAsATask(): Unit = {
    val events = TestCluster.events(sc)
    val sum = new DenseVariable("sum", Array(1.0))
    assertThatThrownBy { () =>
      Iterations.iterate(sc.parallelize(0 until 4, 4), 6, 3, Seq(sum)) {
        (iteration, rows, shared) =>
          shared.update(sum, Array(shared.get(sum).head * 0.1))
          require(iteration != 5 || !rows.contains(2), "This task is meant to fail")
      }
    }.isInstanceOf(classOf[SparkException])
      .hasMessageContaining("Partition 2 failed 4 times in iterations 4 to 6")
      .hasMessageContaining("This task is meant to fail")
    assertThat(jobs(events.seen)).isEqualTo(5)
  }

  /** Nobody knows which of an executor's partitions has ended it. */
  @Test
  def aPartitionMayEndAnExecutorAsOftenAsATaskMayFail(@TempDir dir: Path): Unit = {
    val events = TestCluster.events(sc)
    val mayEnd = dir.resolve("may end").toString
    def starts = events.seen.count(_.isInstanceOf[SparkListenerTaskStart])
    val letting = new Thread(() =>
      try
        // When it is known that all have begun, and there is another executor for the next attempt.
        for (attempt <- 1 to 13) {
          TestCluster.await(jobs(events.seen) == attempt && starts == 4 * attempt)
          TestCluster.awaitAgents(sc, 2)
          Files.createFile(Path.of(mayEnd))
        }
      catch { case _: InterruptedException => () }
    )
    letting.start()
    val sum = new DenseVariable("sum", Array(1.0))
    assertThatThrownBy { () =>
      Iterations.iterate(sc.parallelize(0 until 4, 4), 3, 3, Seq(sum)) {
        (iteration, rows, shared) =>
          shared.update(sum, Array(shared.get(sum).head * 0.1))
          if (iteration == 2 && rows.contains(2)) {
            while (!Files.deleteIfExists(Path.of(mayEnd))) Thread.sleep(5)
            Runtime.getRuntime.halt(1)
          }
      }
    }.isInstanceOf(classOf[SparkException])
      .hasMessageMatching("(?s)Partitions? (\\d, )*2(, \\d)* failed 4 times.*")
    letting.interrupt()
    letting.join()
    assertThat(jobs(events.seen)).isEqualTo(4)
    TestCluster.awaitAgents(sc, 2)
  }

  /** As if an executor did not give what all take to be there. */
  @Test
  @Timeout(120)
  def inputsThatCanNeverBeFetchedAreNotAskedForWithoutEnd(): Unit = {
    val events = TestCluster.events(sc)
    val sum = new DenseVariable("sum", Array(1.0))
    val shuffled =
      sc.parallelize(0 until 40, 4).map(i => (i % 4, 1)).partitionBy(new HashPartitioner(4))
    val shuffle =
      shuffled.dependencies.head.asInstanceOf[ShuffleDependency[_, _, _]].shuffleId
    assertThatThrownBy { () =>
      Iterations.iterate(shuffled, 6, 3, Seq(sum)) { (iteration, _, shared) =>
        shared.update(sum, Array(shared.get(sum).head * 0.1))
        if (iteration == 5) {
          // By any partition: none of them is to blame.
          throw new FetchFailedException(null, shuffle, -1, -1, 0, "This fetch is meant to fail")
        }
      }
    }.isInstanceOf(classOf[SparkException])
      .hasMessageContaining("Inputs could not be fetched 4 times in iterations 4 to 6")
      .hasMessageContaining("This fetch is meant to fail")
    assertThat(jobs(events.seen)).isEqualTo(5)
  }

  @Test
  def aTaskThatIsKilledWhileItWaitsIsRunAgainWithTheOthers(@TempDir dir: Path): Unit = {
    val gate = Files.createFile(dir.resolve("gate")).toString
    val events = TestCluster.events(sc)
    def tasks = events.seen.collect { case e: SparkListenerTaskStart => e.taskInfo }
    val sum = new DenseVariable("sum", Array(1.0))
    val killing = new Thread(() => {
      TestCluster.await(tasks.size == 2)
      sc.killTaskAttempt(tasks.find(_.index == 1).get.taskId, interruptThread = false)
      TestCluster.await(jobs(events.seen) == 2)
      Files.delete(Path.of(gate))
    })
    killing.start()
    val found = Iterations.iterate(sc.parallelize(0 until 2, 2), 3, 3, Seq(sum)) {
      (_, rows, shared) =>
        if (rows.contains(0)) Gate.await(gate)
        shared.update(sum, Array(shared.get(sum).head * 0.2))
    }
    killing.join()
    var expected = 1.0
    for (_ <- 1 to 3) expected += expected * 0.2 + expected * 0.2
    assertThat(found(sum)).isEqualTo(Array(expected))
  }

  @Test
  def iterationsThatAreCancelledEnd(@TempDir dir: Path): Unit = {
    val gate = Files.createFile(dir.resolve("gate")).toString
    val events = TestCluster.events(sc)
    val sum = new DenseVariable("sum", Array(1.0))
    val cancelling = new Thread(() => {
      TestCluster.await(events.seen.exists(_.isInstanceOf[SparkListenerTaskStart]))
      sc.cancelJobGroup("iterations")
    })
    cancelling.start()
    sc.setJobGroup("iterations", "are cancelled")
    try
      assertThatThrownBy { () =>
        Iterations.iterate(sc.parallelize(0 until 2, 2), 3, 3, Seq(sum)) { (_, rows, shared) =>
          shared.get(sum)
          while (rows.contains(0) && Files.exists(Path.of(gate))) {
            TaskContext.get().killTaskIfInterrupted()
            Thread.sleep(5)
          }
        }
      }.isInstanceOf(classOf[SparkException]).hasMessageContaining("cancelled")
    finally sc.clearJobGroup()
    cancelling.join()
    assertThat(jobs(events.seen)).isEqualTo(1)
    // Their slots are free again.
    assertThat(sc.parallelize(1 to 10, 4).sum()).isEqualTo(55.0)
  }

  private def jobs(seen: Seq[Any]): Int = seen.count(_.isInstanceOf[SparkListenerJobStart])

  /** Four partitions that add a tenth each. */
  private def grown(iterations: Int): Array[Double] = {
    var value = 1.0
    for (_ <- 1 to iterations) {
      val tenth = value * 0.1
      value += (tenth + tenth) + (tenth + tenth)
    }
    Array(value)
  }
}
