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

import java.util.concurrent.TimeUnit

import org.apache.spark.SparkEnv
import org.apache.spark.rpc.RpcAddress
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.data.Offset
import org.junit.jupiter.api.{Test, Timeout}

@Timeout(300)
class SlownessTest {
  private var nowNs = 0L

  private def agent(): AgentHandle =
    new AgentHandle("1", "h", RpcAddress("h", 1), Some(2), null, null, new Slowness(() => nowNs))

  private def pass(ms: Long): Unit = nowNs += TimeUnit.MILLISECONDS.toNanos(ms)

  /** A task set has ended, with so many tasks of so many milliseconds on each. */
  private def ended(tasks: (AgentHandle, Seq[Long])*): Unit = {
    val times = new Slowness.Times
    for ((agent, durations) <- tasks; ms <- durations) times.add(agent, ms)
    times.learn()
  }

  @Test
  def aNewcomerGetsMoreAndMore(): Unit = {
    val (old, newcomer) = (agent(), agent())
    newcomer.slowness.assume(Slowness.OfNewcomer)
    assertThat(newcomer.power).isEqualTo(2 / 3.0)
    assertThat(old.power).isEqualTo(2.0)
    pass(500)
    assertThat(newcomer.power).isCloseTo(2 / 2.414, Offset.offset(0.001: java.lang.Double))
    pass(501)
    assertThat(newcomer.power).isEqualTo(2.0)
  }

  @Test
  def whoTakesLongerThanTheOthersIsSlowAndNobodyElse(): Unit = {
    val (a, b, slow) = (agent(), agent(), agent())
    def again(slowMs: Long) =
      ended(a -> Seq(10L, 12L), b -> Seq(11L, 11L), slow -> Seq(slowMs, slowMs))
    (1 to 40).foreach(_ => again(50))
    // 52 beside 13, with what is added.
    assertThat(slow.slowness.factor)
      .isCloseTo(4.0, Offset.offset(0.01: java.lang.Double))
    assertThat(Seq(a, b).map(_.slowness.factor)).isEqualTo(Seq(1.0, 1.0))
    (1 to 40).foreach(_ => again(11))
    assertThat(slow.slowness.factor).isEqualTo(1.0)
  }

  @Test
  def onePauseTellsNothing(): Unit = {
    val (a, b) = (agent(), agent())
    ended(a -> Seq(5L), b -> Seq(10000L))
    assertThat(b.slowness.factor).isEqualTo(1.0)
    ended(a -> Seq(5L), b -> Seq(10000L))
    assertThat(b.slowness.factor).isGreaterThan(2.0)
  }

  @Test
  def whatMayHaveOtherCausesTellsNothing(): Unit = {
    val (a, b) = (agent(), agent())
    for (_ <- 1 to 20) {
      // Next to nothing.
      ended(a -> Seq(0L), b -> Seq(1L))
      // Nobody to compare with.
      ended(b -> Seq(1000L, 10L))
      // Partitions that differ.
      ended(a -> Seq(50L), b -> Seq(90L))
      ended(a -> Seq(250L), b -> Seq(5000L))
    }
    assertThat(Seq(a, b).map(_.slowness.factor)).isEqualTo(Seq(1.0, 1.0))
  }

  /** As on a host that is busy for a while. */
  @Test
  def aSlowExecutorGetsFewerTasksUntilItIsFastAgain(): Unit = {
    val sc = TestCluster.start()
    try {
      def places(slow: Option[String]): Map[String, Int] = sc
        .parallelize(0 until 8, 8)
        .map { _ =>
          val executor = SparkEnv.get.executorId
          Thread.sleep(if (slow.contains(executor)) 60 else 5)
          executor
        }
        .collect()
        .toSeq
        .groupMapReduce(identity)(_ => 1)(_ + _)
      def gauge = TestCluster.source(sc).gauge("executors.slow")
      TestCluster.await(places(None).values.toSeq == Seq(4, 4))
      assertThat(gauge).isEqualTo(Some(0))
      val slow = places(None).keys.min
      TestCluster.await(places(Some(slow)).getOrElse(slow, 0) <= 2 && gauge.contains(1))
      // It is not left out for good.
      TestCluster.await(places(None).values.toSeq == Seq(4, 4) && gauge.contains(0))
    } finally sc.stop()
  }
}
