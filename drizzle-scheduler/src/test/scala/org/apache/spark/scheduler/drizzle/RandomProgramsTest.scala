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

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.{SparkContext, Success}
import org.apache.spark.scheduler.{
  SparkListener,
  SparkListenerJobStart,
  SparkListenerTaskEnd,
  SparkListenerTaskStart
}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}

/** Random programs of RDDs see what they see on stock Spark, and what collections say, with as many jobs and
  * tasks; and the same when an executor ends in the middle.
  *
  * `-Dfreshet.drizzle.programs=N` for more of them, `-Dfreshet.drizzle.programs.lossy=N` for more that lose an
  * executor, `-Dfreshet.drizzle.programs.seed=S` for one.
  */
@Timeout(3600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RandomProgramsTest {
  import RandomProgramsTest._

  private val one = Option(java.lang.Long.getLong("freshet.drizzle.programs.seed")).map(_.longValue)
  private val seeds = chosen("freshet.drizzle.programs", 30)
  private val lossy = chosen("freshet.drizzle.programs.lossy", 3)

  private var stock = Map.empty[Long, Run]
  private var stockLossy = Map.empty[Long, Run]
  private var sc: SparkContext = _

  private def chosen(property: String, default: Int): Seq[Long] =
    one.fold(1L to Integer.getInteger(property, default).longValue)(seed => seed to seed)

  @BeforeAll
  def start(): Unit = {
    // Only one Spark can be in a process at once.
    TestCluster.locally(settings :+ "spark.master" -> "local[2,4]": _*) { sc =>
      sc.setLogLevel("OFF")
      stock = seeds.map(seed => seed -> run(sc, seed, losesExecutors = false)).toMap
      stockLossy = lossy.map(seed => seed -> run(sc, seed, losesExecutors = true)).toMap
    }
    sc = TestCluster.start(
      2,
      settings ++ Seq(
        "spark.deploy.maxExecutorRetries" -> "-1",
        "spark.freshet.drizzle.rehearsal.most" -> "200ms"
      ): _*
    )
    // Tasks that are meant to fail are warned of.
    sc.setLogLevel("ERROR")
  }

  @AfterAll
  def stop(): Unit = if (sc != null) {
    sc.setLogLevel("WARN")
    sc.stop()
  }

  @Test
  def programsSeeWhatTheySeeOnStockSpark(): Unit = {
    val source = TestCluster.source(sc)
    val ahead = source.sentAhead.getCount
    for (seed <- seeds) {
      val now = run(sc, seed, losesExecutors = false)
      isSame(seed, now, stock(seed))
      assertThat((now.jobs, now.tasks))
        .as(now.seen.head)
        .isEqualTo((stock(seed).jobs, stock(seed).tasks))
    }
    if (one.isEmpty) {
      assertThat(source.sentAhead.getCount - ahead).isGreaterThan(seeds.size.toLong)
    }
  }

  @Test
  def programsSeeTheSameWhenAnExecutorEnds(): Unit = for (seed <- lossy) {
    val (victim, _) = TestCluster.executors(sc)
    val end = new EndAt(victim, stockLossy(seed).tasks / 2)
    sc.addSparkListener(end)
    try isSame(seed, run(sc, seed, losesExecutors = true), stockLossy(seed))
    finally sc.removeSparkListener(end)
    assertThat(ProcessHandle.of(victim)).as(s"Program $seed's victim").isEmpty()
  }
}

private object RandomProgramsTest {

  /** Of both: as many partitions where a program does not say how many. */
  private val settings = Seq(
    "spark.default.parallelism" -> "3",
    "spark.ui.enabled" -> "false",
    "spark.driver.host" -> "127.0.0.1",
    "spark.driver.bindAddress" -> "127.0.0.1"
  )

  /** @param seen
    *   what it does, and then what it has seen
    * @param tasks
    *   that succeeded
    */
  private final case class Run(seen: Seq[String], jobs: Int, tasks: Int)

  private def run(sc: SparkContext, seed: Long, losesExecutors: Boolean): Run = {
    val events = TestCluster.events(sc)
    try {
      val seen = new RandomProgram(sc, seed, losesExecutors).run()
      val told = events.seen
      Run(
        seen,
        told.count(_.isInstanceOf[SparkListenerJobStart]),
        told.count {
          case end: SparkListenerTaskEnd => end.reason == Success
          case _                         => false
        }
      )
    } finally sc.removeSparkListener(events)
  }

  private def isSame(seed: Long, now: Run, stock: Run): Unit = {
    val alone = s"-Dfreshet.drizzle.programs.seed=$seed"
    stock.seen.zipAll(now.seen, "nothing", "nothing").find(pair => pair._1 != pair._2).foreach {
      case (expected, actual) =>
        throw new AssertionError(
          s"${now.seen.head}\nhas seen\n  $actual\ninstead of\n  $expected\nAlone: $alone"
        )
    }
  }

  /** Ends an executor when so many tasks have begun. */
  private final class EndAt(pid: Long, tasks: Int) extends SparkListener {
    private val begun = new AtomicInteger

    override def onTaskStart(event: SparkListenerTaskStart): Unit =
      if (begun.incrementAndGet() == math.max(1, tasks)) {
        TestCluster.end(pid)
      }
  }
}
