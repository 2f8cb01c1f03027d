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
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerJobStart
import org.apache.spark.scheduler.drizzle.{AtOnce, Gate, TestCluster}
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.assertj.core.api.ThrowableAssert.ThrowingCallable
import org.freshet.drizzle.iterate.{DenseVariable, GroupSize, Iterations, SharedValues}
import org.freshet.drizzle.iterate.{SharedVariable, SharedVariables}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Iterations over executors that are processes; the oracle runs them one after the other. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IterationsTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  @Test
  def aGroupIsOneJobWithATaskForEachPartition(): Unit = {
    val events = TestCluster.events(sc)
    val source = TestCluster.source(sc)
    def counts = Seq(source.iterationGroups, source.iterationsAgain).map(_.getCount)
    val before = counts
    val sum = new DenseVariable("sum", Array(0.1, 0.2))
    val result = Iterations.iterate(sc.parallelize(1 to 100, 4), 10, 4, Seq(sum)) {
      (iteration, rows, shared) =>
        val now = shared.get(sum)
        shared.update(sum, Array(rows.sum * 0.01, now(0) * iteration))
    }
    var expected = Array(0.1, 0.2)
    for (iteration <- 1 to 10) {
      val parts = (1 to 100).grouped(25).map(_.sum * 0.01).toVector
      val grown = expected(0) * iteration
      expected = Array(
        expected(0) + ((parts(0) + parts(1)) + (parts(2) + parts(3))),
        expected(1) + ((grown + grown) + (grown + grown))
      )
    }
    assertThat(result(sum)).isEqualTo(expected)
    assertThat(result.iterations).isEqualTo(10)
    val jobs = events.seen.collect { case e: SparkListenerJobStart => e }
    assertThat(jobs.map(_.stageInfos.map(_.numTasks))).isEqualTo(Seq.fill(3)(Seq(4)))
    assertThat(jobs.map(_.properties.getProperty("spark.job.description")))
      .isEqualTo(Seq("Iterations 1 to 4", "Iterations 5 to 8", "Iterations 9 to 10"))
    assertThat(counts.zip(before).map { case (now, was) => now - was }).isEqualTo(Seq(3L, 0L))
  }

  /** `-Dfreshet.drizzle.iterations=N` for more of them. */
  @Test
  @Timeout(1200)
  def randomIterationsComputeWhatASequentialRunDoes(): Unit = {
    val programs = Integer.getInteger("freshet.drizzle.iterations", 60).intValue
    (1 to programs).foreach(seed => new RandomIterations(seed.toLong).check(sc))
  }

  /** Each executor has one core, and eight tasks of each. */
  @Test
  def partitionsMayBeMoreThanSlotsAndShareThemWithOtherJobs(): Unit = {
    val sum = new DenseVariable("sum", Array(0.0))
    def iterate(): (Double, Double) = {
      val most = new Largest("at once")
      val found = Iterations.iterate(sc.parallelize(0 until 16, 16), 6, 3, Seq(sum, most)) {
        (iteration, rows, shared) =>
          shared.get(sum)
          shared.update(sum, Array(rows.sum.toDouble * iteration))
          shared.update(most, AtOnce.mostWhile().toDouble)
      }
      (found(sum).head, found(most))
    }
    val running = Seq.fill(3)(Future(iterate())(ExecutionContext.global))
    val others = Seq.fill(5)(
      sc.parallelize(0 until 4, 4)
        .map(i => (i % 2, AtOnce.mostWhile()))
        .reduceByKey(_ max _)
        .collectAsync()
    )
    for (found <- running.map(Await.result(_, Duration(2, TimeUnit.MINUTES))))
      assertThat(found).isEqualTo((120.0 * 21, 1.0))
    for (found <- others.flatMap(Await.result(_, Duration(2, TimeUnit.MINUTES))))
      assertThat(found._2).isEqualTo(1)
  }

  @Test
  def newestValuesAreNotWaitedFor(@TempDir dir: Path): Unit = {
    val gate = Files.createFile(dir.resolve("gate")).toString
    val sum = new DenseVariable("sum", Array(0.0))
    val seen = new History("seen")
    val found = Iterations.iterate(sc.parallelize(0 until 2, 2), 8, 8, Seq(sum, seen)) {
      (iteration, rows, shared) =>
        if (rows.contains(0)) {
          // Only this task, which is far ahead then, lets the other one begin.
          if (iteration == 5) Files.delete(Path.of(gate))
          val wait = iteration == 8
          shared.update(seen, shared.get(sum, wait).head.toString)
        } else {
          Gate.await(gate)
        }
        shared.update(sum, Array(1.0))
    }
    assertThat(found(sum)).isEqualTo(Array(16.0))
    val values = found(seen).split(' ').filter(_.contains('=')).map(_.split('=')(1).toDouble).toSeq
    assertThat(values.take(5)).isEqualTo(Seq.fill(5)(0.0))
    // Whole iterations, in their order, and in the end all that were before.
    assertThat(values).isEqualTo(values.sorted)
    assertThat(values.forall(_ % 2 == 0)).isTrue
    assertThat(values.last).isEqualTo(14.0)
  }

  @Test
  def groupsOfShortIterationsGrowAndChangeNothing(): Unit = {
    val data = sc.parallelize(0 until 70, 7).map(i => math.sin(i.toDouble)).cache()
    def run(size: GroupSize): Array[Double] = {
      val sum = new DenseVariable("sum", Array(0.1, 0.7, 0.3))
      Iterations.iterate(data, 150, size, Seq(sum)) { (iteration, rows, shared) =>
        val now = shared.get(sum)
        val x = rows.sum
        shared.update(sum, now.map(v => math.sin(v + x / iteration) * 0.1))
      }(sum)
    }
    val expected = run(150)
    for (size <- Seq(1, 7)) assertThat(run(size)).isEqualTo(expected)
    val events = TestCluster.events(sc)
    assertThat(run(GroupSize.Auto)).isEqualTo(expected)
    val sizes = TestCluster.groups(events.seen).map(group => group.last - group.first + 1)
    data.unpersist()
    assertThat(sizes.sum).isEqualTo(150)
    assertThat(sizes.head).isEqualTo(1)
    assertThat(sizes.max).isBetween(2, 100)
    assertThat(sizes.zip(sizes.tail).forall { case (one, next) => next <= 2 * one }).isTrue
    val source = TestCluster.source(sc)
    assertThat(source.gauge("iterations.group.size").get.asInstanceOf[Int]).isBetween(2, 100)
    assertThat(source.gauge("iterations.group.lost").get.asInstanceOf[Double]).isBetween(0.0, 1.0)
  }

  @Test
  def aGroupThatIsTunedHasNoMoreIterationsThanTheKeySays(): Unit = {
    // Keys are read when iterations begin.
    sc.conf.set("spark.freshet.drizzle.group.most", "3")
    val events = TestCluster.events(sc)
    try {
      val sum = new DenseVariable("sum", Array(0.0))
      val found = Iterations.iterate(sc.parallelize(0 until 2, 2), 20, variables = Seq(sum)) {
        (_, rows, shared) => shared.update(sum, Array(shared.get(sum).head + rows.sum))
      }
      assertThat(found.iterations).isEqualTo(20)
    } finally sc.conf.remove("spark.freshet.drizzle.group.most")
    val groups = TestCluster.groups(events.seen)
    assertThat(groups.map(group => group.last - group.first + 1).max).isBetween(2, 3)
    assertThat(groups.last.last).isEqualTo(20)
  }

  /** The first program in docs/iterations.md. */
  @Test
  def aLineIsFitted(): Unit = {
    val points = sc.parallelize(0 until 1000, 4).map(i => (i / 1000.0, 2 * i / 1000.0 + 1)).cache()
    val line = new DenseVariable("line", Array(0.0, 0.0))
    val found = Iterations.iterate(points, iterations = 500, variables = Seq(line)) {
      (_, points, shared) =>
        val now = shared.get(line)
        val step = new Array[Double](2)
        for ((x, y) <- points) {
          val error = now(0) * x + now(1) - y
          step(0) -= 0.001 * error * x
          step(1) -= 0.001 * error
        }
        shared.update(line, step)
    }
    assertThat(found(line)(0)).isBetween(1.99, 2.01)
    assertThat(found(line)(1)).isBetween(0.99, 1.01)
    points.unpersist()
  }

  /** A shuffle's aggregation, for one, holds memory from then on, which others may wait for. */
  @Test
  def dataIsNotComputedBeforeItIsRead(): Unit = {
    val data = sc.parallelize(0 until 8, 4).mapPartitions { rows => Computed.here.set(true); rows }
    val sum = new DenseVariable("sum", Array(0.0))
    val found = Iterations.iterate(data, 4, 2, Seq(sum)) { (_, rows, shared) =>
      shared.get(sum)
      require(!Computed.here.get, "The data was computed before the shared variable was there")
      shared.update(sum, Array(rows.sum.toDouble))
      require(Computed.here.get)
      Computed.here.set(false)
    }
    assertThat(found(sum)).isEqualTo(Array(4 * 28.0))
  }

  @Test
  def noMoreIsRunWhenThatIsWanted(): Unit = {
    val sum = new DenseVariable("sum", Array(0.0))
    val asked = mutable.ArrayBuffer.empty[(Int, Double)]
    val until = (now: SharedValues) => {
      asked += ((now.iterations, now(sum).head))
      now(sum).head >= 5
    }
    val found = Iterations.iterate(sc.parallelize(0 until 1, 1), 20, 2, Seq(sum), until) {
      (_, _, shared) => shared.update(sum, Array(1.0))
    }
    assertThat(asked.toSeq).isEqualTo(Seq((2, 2.0), (4, 4.0), (6, 6.0)))
    assertThat(found.iterations).isEqualTo(6)
  }

  @Test
  def anRddWithoutPartitionsChangesNothing(): Unit = {
    val sum = new DenseVariable("sum", Array(3.0))
    val found = Iterations.iterate(sc.emptyRDD[Int], 5, 2, Seq(sum)) { (_, _, shared) =>
      shared.update(sum, Array(1.0))
    }
    assertThat(found(sum)).isEqualTo(Array(3.0))
  }

  @Test
  def misuseIsRefusedWithWhatWasWrong(): Unit = {
    val data = sc.parallelize(0 until 2, 2)
    val sum = new DenseVariable("sum", Array(0.0))
    def iterate(iterations: Int, groupSize: Int, variables: DenseVariable*)(
        body: SharedVariables => Unit
    ): ThrowingCallable =
      () =>
        Iterations.iterate(data, iterations, groupSize, variables)((_, _, shared) => body(shared))
    assertThatThrownBy(iterate(0, 1, sum)(_ => ()))
      .hasMessageContaining("number of iterations must be positive, and is 0")
    assertThatThrownBy(iterate(1, -2, sum)(_ => ()))
      .hasMessageContaining("size of a group must be positive, and is -2")
    assertThatThrownBy(iterate(1, 1, sum, sum)(_ => ()))
      .hasMessageContaining("these are repeated: sum")
    val other = new DenseVariable("other", Array(0.0))
    assertThatThrownBy(iterate(1, 1, sum)(shared => shared.get(other)))
      .hasMessageContaining("There is no shared variable 'other' in these iterations")
    assertThatThrownBy(iterate(1, 1, sum) { shared =>
      shared.commit(sum)
      shared.update(sum, Array(1.0))
    }).hasMessageContaining("in iteration 1 have been committed")
    assertThatThrownBy(iterate(1, 1, sum)(_.update(sum, Array(1.0, 2.0))))
      .hasMessageContaining("has 2 elements; it must have 1")
  }
}

/** Whether a task's thread has computed the data of an iteration. */
private[iterate] object Computed {
  val here: ThreadLocal[Boolean] = ThreadLocal.withInitial(() => false)
}

private[iterate] final class Largest(name: String)
    extends SharedVariable[Double, Double](name, 0.0) {
  override def merge(left: Double, right: Double): Double = math.max(left, right)

  override def apply(value: Double, update: Double, iteration: Int): Double =
    math.max(value, update)
}
