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

import java.net.{InetAddress, ServerSocket}

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, SECONDS}
import scala.util.Using

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.DAGScheduler
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.broadcast
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}

/** What is left to Spark's own scheduler because somebody asks for it. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SwitchTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  private def source: DrizzleSource = TestCluster.source(sc)

  /** Stages that Freshet sends meanwhile, and those that are left because of the key. */
  private def counting(run: => Unit): (Long, Long) = {
    def counts = (source.dispatched.getCount, source.leftToStock(Unsuited.SwitchedOff).getCount)
    val (sent, left) = counts
    run
    (counts._1 - sent, counts._2 - left)
  }

  private def switchedOff[A](run: => A): A = TestCluster.switchedOff(sc)(run)

  private def sums =
    sc.parallelize(0 until 1000, 4).map(i => (i % 7, i)).reduceByKey(_ + _, 3)

  private val expected = (0 until 1000).groupMapReduce(_ % 7)(identity)(_ + _)

  @Test
  def aThreadLeavesItsJobsToSpark(): Unit = {
    def run(): Unit = assertThat(sums.collect().toMap).isEqualTo(expected)
    assertThat(counting(switchedOff(run()))).isEqualTo((0L, 2L))
    assertThat(counting(run())).isEqualTo((2L, 0L))
  }

  @Test
  def aJobReadsWhatTheOtherSchedulerHasComputed(): Unit = {
    val (computed, left) = (sums, sums)
    computed.count()
    assertThat(counting(switchedOff {
      assertThat(computed.collect().toMap).isEqualTo(expected)
      left.count()
    })).isEqualTo((0L, 3L))
    assertThat(counting(assertThat(left.collect().toMap).isEqualTo(expected)))
      .isEqualTo((1L, 0L))
  }

  @Test
  def jobsOfBothRunAtOnce(): Unit = {
    val jobs = (0 until 40).map { i =>
      if (i % 2 == 0) sums.collectAsync() else switchedOff(sums.collectAsync())
    }
    jobs.foreach { job =>
      assertThat(Await.result(job, Duration(60, SECONDS)).toMap).isEqualTo(expected)
    }
  }

  /** It has reached the driver, but the driver does not reach it: a firewall may do that. */
  @Test
  def anExecutorThatDoesNotAnswerGetsNoTasks(): Unit = {
    val port =
      Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))(_.getLocalPort)
    val address = RpcAddress("127.0.0.1", port)
    val register = Register(sc.getExecutorIds().head, "127.0.0.1", address)
    val driver =
      sc.env.rpcEnv.setupEndpointRef(sc.env.rpcEnv.address, Dispatcher.EndpointName)
    assertThat(driver.askSync[Boolean](MessageCodec.bytes(Vector(register)))).isTrue
    (0 until 10).foreach { _ =>
      val job = sums.collectAsync()
      assertThat(Await.result(job, Duration(60, SECONDS)).toMap).isEqualTo(expected)
    }
  }

  /** Stock would not see that their slots are taken for ever. */
  @Test
  def tasksOfContinuousQueriesAreLeft(): Unit = {
    val left = source.leftToStock(Unsuited.Continuous)
    val before = left.getCount
    // As ContinuousExecution does.
    sc.setLocalProperty("__epoch_coordinator_id", "test")
    try assertThat(counting(sums.count())._1).isEqualTo(0L)
    finally sc.setLocalProperty("__epoch_coordinator_id", null)
    assertThat(left.getCount - before).isEqualTo(2L)
  }

  /** Some of its jobs are submitted by other threads. */
  @Test
  def aQueryIsLeftAsAWhole(): Unit = {
    val session = SparkSession.builder().getOrCreate()
    import session.implicits._
    def run(): Unit = {
      val names = (0 until 7).map(k => (k.toLong, s"name $k")).toDF("k", "name")
      val counts = session
        .range(0, 1000, 1, 4)
        .selectExpr("id % 7 as k")
        .join(broadcast(names.repartition(2)), "k")
        .groupBy("name")
        .count()
      assertThat(counts.count()).isEqualTo(7L)
    }
    val (sent, left) = counting(switchedOff(run()))
    assertThat(sent).isZero()
    assertThat(left).isGreaterThan(3L)
    assertThat(counting(run())).isEqualTo((left, 0L))
  }
}

/** An application that is left as a whole. */
@Timeout(300)
class SwitchedOffTest {
  @Test
  def allIsSparks(): Unit = {
    val conf = TestCluster.conf("local-cluster[1,1,1024]", DrizzleKeys.Enabled.key -> "false")
    val sc = new SparkContext(conf)
    try {
      assertThat(sc.dagScheduler.getClass == classOf[DAGScheduler]).isTrue
      val managers =
        sc.parallelize(0 until 2, 2).map(_ => SparkEnv.get.shuffleManager.getClass.getName)
      assertThat(managers.distinct().collect())
        .isEqualTo(Array(classOf[SortShuffleManager].getName))
    } finally sc.stop()
  }
}
