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

import scala.collection.mutable

import com.codahale.metrics.Counter
import org.apache.spark.{SparkConf, SparkContext, SparkEnv, TaskState}
import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler._
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

/** What executors do that come late. */
@Timeout(300)
class RehearsalsTest {

  /** Rehearsals of one executor, whose messages are kept, and of others that never answer. */
  private final class Fixture(sc: SparkContext) {
    val told = mutable.ArrayBuffer.empty[Serializable]
    val admitted = mutable.ArrayBuffer.empty[String]
    val rehearsed = new Counter
    private var nowNs = 0L
    private val courier = new Courier("test", Transport.of(sc.conf, "test"))
    private val skeletons = new Skeletons
    private val delivered = new Skeletons.Delivered(skeletons)
    private val agent = agentOf("1")

    private def agentOf(executorId: String) = new AgentHandle(
      executorId,
      "localhost",
      RpcAddress("localhost", 1),
      Some(1),
      courier.outbox(() => throw new AssertionError("Nothing is sent")),
      delivered,
      new Slowness(() => nowNs)
    )
    val rehearsals = new Rehearsals(
      sc,
      60000L,
      rehearsed,
      skeletons,
      (to, message) => if (to eq agent) told += message,
      agent => admitted += agent.executorId,
      () => nowNs
    )

    def pass(ms: Long): Unit = nowNs += TimeUnit.MILLISECONDS.toNanos(ms)

    def begin(others: Int = 0): Unit = {
      rehearsals.begin(agent)
      (1 to others).foreach(n => rehearsals.begin(agentOf(s"other $n")))
    }

    /** All tasks of the last message have ended, so long after it was sent. */
    def endAfter(ms: Long): Unit = {
      pass(ms)
      end(launched, TaskState.FINISHED)
    }

    /** @param wanting for each of the executors that get tasks, which have one core, how many tasks want it */
    def check(wanting: Int*): Unit = rehearsals.checkTime(wanting.map { tasks =>
      val other = agentOf("other")
      other.wanting = tasks
      other
    })

    /** With one core. */
    def power: Double = agent.power

    def isRehearsing: Boolean = rehearsals.of("1").isDefined

    def launches: Vector[SentLaunch] = told.collect { case launch: SentLaunch => launch }.toVector

    def launched: Vector[Long] = launches.flatMap(_.stages).flatMap(_.tasks.map(_.taskId))

    /** The executor has answered all messages. */
    def answered(): Unit = delivered.answered(told.toVector, areTaken = true)

    def withdrawn: Seq[Serializable] = told.collect { case withdraw: Withdraw => withdraw }.toSeq

    def end(tasks: Seq[Long], state: TaskState.TaskState): Unit =
      tasks.foreach(rehearsals.taskEnded(_, state))
  }

  private def withFixture(test: Fixture => Unit): Unit = {
    val sc = new SparkContext(
      new SparkConf(false).setMaster("local[1]").setAppName("t").set("spark.ui.enabled", "false")
    )
    try test(new Fixture(sc))
    finally sc.stop()
  }

  @Test
  def executorsThatComeWhileShortTasksRunRehearse(): Unit = {
    val sc = TestCluster.start()
    try {
      val events = TestCluster.events(sc)
      def sums = sc.parallelize(0 until 100, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 4).values
      (1 to 20).foreach(_ => assertThat(sums.sum()).isEqualTo(4950.0))
      val (id, pid) = sc
        .parallelize(0 until 2, 2)
        .map(_ => (SparkEnv.get.executorId, ProcessHandle.current.pid))
        .first()
      val rehearsed = TestCluster.source(sc).rehearsed
      assertThat(rehearsed.getCount).isZero()
      TestCluster.end(pid)
      TestCluster.await {
        assertThat(sums.sum()).isEqualTo(4950.0)
        rehearsed.getCount > 0
      }
      TestCluster.awaitAgents(sc, 2)
      TestCluster.await {
        val places = sc.parallelize(0 until 4, 4).map(_ => SparkEnv.get.executorId).collect()
        assertThat(places).doesNotContain(id)
        places.toSet.size == 2
      }
      // Nobody is told of what was rehearsed.
      val ids = events.seen.collect { case begun: SparkListenerTaskStart => begun.taskInfo.taskId }
      assertThat(ids.max).isLessThan(10000L)
      val stages = events.seen.collect { case begun: SparkListenerTaskStart => begun.stageId }
      assertThat(stages.max).isLessThan(10000)
    } finally sc.stop()
  }

  @Test
  def nobodyRehearsesBesideLongTasks(): Unit = withFixture { of =>
    (1 to 99).foreach(_ => of.rehearsals.taskEnded(10L))
    assertThat(of.rehearsals.isWorthwhile()).isFalse()
    of.rehearsals.taskEnded(10L)
    assertThat(of.rehearsals.isWorthwhile()).isTrue()
    (1 to 100).foreach(_ => of.rehearsals.taskEnded(1000L))
    assertThat(of.rehearsals.isWorthwhile()).isFalse()
  }

  @Test
  def whatIsFastEnoughIsNotRepeated(): Unit = withFixture { of =>
    of.begin()
    assertThat(of.launched.size).isEqualTo(4)
    of.end(of.launched.tail, TaskState.FINISHED)
    assertThat(of.isRehearsing).isTrue()
    // Told twice, it has ended once.
    of.end(of.launched.tail, TaskState.FINISHED)
    assertThat(of.isRehearsing).isTrue()
    of.pass(50)
    of.end(of.launched.take(1), TaskState.FINISHED)
    assertThat(of.isRehearsing).isTrue()
    assertThat(of.launched.size).isEqualTo(8)
    assertThat(of.launched.distinct.size).isEqualTo(8)
    assertThat(of.power).isEqualTo(1.0)
    of.endAfter(3)
    assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
    // The application's classes are new to it.
    assertThat(of.power).isEqualTo(1 / Slowness.OfNewcomer)
    assertThat(of.withdrawn).isEqualTo(Seq.empty)
    assertThat(of.rehearsed.getCount).isEqualTo(1L)
  }

  @Test
  def whoTakesTooLongIsAdmitted(): Unit = withFixture { of =>
    of.begin()
    of.pass(59999)
    of.check(0)
    assertThat(of.isRehearsing).isTrue()
    of.pass(1)
    of.check(0)
    assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
    assertThat(of.withdrawn.size).isEqualTo(2)
    // What comes too late changes nothing.
    of.end(of.launched, TaskState.FINISHED)
    assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
    assertThat(of.rehearsed.getCount).isEqualTo(1L)
  }

  @Test
  def nobodyRepeatsForEver(): Unit = withFixture { of =>
    of.begin()
    (1 to 60).foreach { messages =>
      assertThat(of.launches.size).isEqualTo(messages)
      of.endAfter(1000)
    }
    assertThat(of.isRehearsing).isFalse()
    assertThat(of.launches.map(_.stages.size / 2))
      .isEqualTo(Vector(1, 1, 2, 4, 8) ++ Vector.fill(55)(16))
    assertThat(of.launched.distinct.size).isEqualTo(56 * 16 * 4)
    assertThat(of.rehearsed.getCount).isEqualTo(1L)
  }

  @Test
  def repetitionsTogetherAreFastIfEachIs(): Unit = withFixture { of =>
    of.begin()
    Seq(50L, 4L, 7L).foreach { ms =>
      of.endAfter(ms)
      assertThat(of.isRehearsing).isTrue()
    }
    of.endAfter(12)
    assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
  }

  @Test
  def whereManyRehearseEachCostsTheDriverLittle(): Unit = {
    withFixture { of =>
      of.begin(others = 8)
      (1 to 6).foreach { _ =>
        assertThat(of.isRehearsing).isTrue()
        of.endAfter(1000)
      }
      assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
      assertThat(of.launched.size).isEqualTo(32 * 4)
    }
    withFixture { of =>
      of.begin(others = 8)
      of.endAfter(21)
      assertThat(of.isRehearsing).isTrue()
      of.endAfter(20)
      assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
    }
    withFixture { of =>
      of.begin(others = 7)
      of.endAfter(20)
      assertThat(of.isRehearsing).isTrue()
    }
  }

  @Test
  def whoIsOfUseIsAdmittedIfOthersDoNotKeepUp(): Unit = {
    withFixture { of =>
      of.begin()
      of.endAfter(50)
      of.pass(1000)
      of.check(2)
      assertThat(of.isRehearsing).isTrue()
      // It would still have been slow.
      of.endAfter(1)
      assertThat(of.isRehearsing).isTrue()
    }
    withFixture { of =>
      of.begin()
      of.endAfter(20)
      of.pass(400)
      of.check(2, 2)
      // One of them has a slot, if only for what it has.
      of.check(2, 1, 2)
      of.pass(499)
      of.check(2, 2)
      assertThat(of.isRehearsing).isTrue()
      of.pass(1)
      of.check(2, 2)
      assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
      assertThat(of.rehearsed.getCount).isEqualTo(1L)
    }
  }

  @Test
  def whatIsRepeatedIsSentByItsSkeleton(): Unit = withFixture { of =>
    of.begin()
    assertThat(of.launches.last.stages.exists(_.isSkeletonThere)).isFalse()
    of.answered()
    of.endAfter(50)
    assertThat(of.launches.last.stages.forall(_.isSkeletonThere)).isTrue()
  }

  @Test
  def whoIsNeededIsAdmitted(): Unit = withFixture { of =>
    of.begin()
    of.check(0)
    assertThat(of.isRehearsing).isTrue()
    of.check()
    assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
    assertThat(of.rehearsed.getCount).isZero()
  }

  @Test
  def whoFailsIsAdmittedAndWhoIsLostIsNot(): Unit = {
    withFixture { of =>
      of.begin()
      of.end(of.launched.take(1), TaskState.FAILED)
      assertThat(of.admitted.toSeq).isEqualTo(Seq("1"))
      // What waited for it shall not wait for ever.
      assertThat(of.withdrawn.size).isEqualTo(2)
    }
    withFixture { of =>
      of.begin()
      of.rehearsals.lost("1")
      of.end(of.launched, TaskState.FINISHED)
      of.check()
      assertThat(of.admitted.toSeq).isEqualTo(Seq.empty)
    }
  }
}
