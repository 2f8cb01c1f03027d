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

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.collection.mutable

import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.drizzle.{AgentTask, MergedUpdate, StageKey, Updates}
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.iterate.{DenseVariable, IterationGroup}
import org.junit.jupiter.api.{Test, Timeout}

/** One executor's part of a group, whose tasks and peers are the test's own. */
@Timeout(60)
class GroupExchangeTest {
  private val peer = RpcAddress("peer", 1)

  /** Does not wait; what is asked before it would is up to the test. */
  private class Services extends GroupServices {
    val sent: mutable.ArrayBuffer[Updates] = mutable.ArrayBuffer.empty
    var resumed = 0

    override def send(peer: RpcAddress, updates: Updates): Unit = sent += updates

    override def pause(task: AgentTask)(isWaiting: => Boolean): Unit =
      throw new AssertionError("Nobody has to wait")

    override def resume(tasks: Vector[AgentTask]): Unit = resumed += tasks.size
  }

  private def program(sum: DenseVariable) =
    new GroupProgram(1L, 1, 0, IterationGroup(1, 5), Vector(sum), null)

  private def exchange(services: GroupServices, local: Set[Int], partitions: Int) = {
    val exchange = new GroupExchange(StageKey(1, 0), services)
    exchange.open(partitions, local, if (local.size < partitions) Vector(peer) else Vector.empty)
    exchange
  }

  private def newest(exchange: GroupExchange, of: GroupProgram) =
    exchange.value(null, of, 0, None).asInstanceOf[Array[Double]].head

  @Test
  def neighboursAreMergedBeforeOthersAreTold(): Unit = {
    val services = new Services
    val of = program(new DenseVariable("sum", Array(0.0)))
    val some = exchange(services, Set(0, 1, 2, 3, 5), 8)
    some.begin(of, Vector(Array(0.0)))
    for (partition <- Seq(5, 0, 3, 2, 1)) {
      assertThat(services.sent.size).isEqualTo(0)
      some.commit(of, partition, 0, 1, Some(Array(math.pow(10, partition.toDouble))))
    }
    val nodes = services.sent.toSeq.flatMap(_.nodes)
    assertThat(nodes.map(n => (n.level, n.index))).isEqualTo(Seq((0, 5), (2, 0)))
    val sums =
      nodes.map(n => of.variables.head.asInstanceOf[DenseVariable].updateFromBytes(n.update.get))
    assertThat(sums.map(_.head)).isEqualTo(Seq(100000.0, 1111.0))
  }

  @Test
  def whatMayBeMergedInAnyOrderIsSentAsOne(): Unit = {
    val services = new Services
    val variable = new DenseVariable("sum", Array(0.0)) {
      override def mergesInAnyOrder: Boolean = true
    }
    val of = program(variable)
    val some = exchange(services, Set(1, 3, 4, 6), 8)
    some.begin(of, Vector(Array(0.0)))
    for (partition <- Seq(3, 6, 1))
      some.commit(of, partition, 0, 1, Some(Array(math.pow(10, partition.toDouble))))
    some.commit(of, 4, 0, 1, None)
    val nodes = services.sent.toSeq.flatMap(_.nodes)
    assertThat(nodes.map(n => (n.level, n.index)))
      .isEqualTo(Seq((0, 1), (0, 3), (0, 4), (0, 6)))
    val sums = nodes.map(_.update.map(variable.updateFromBytes(_).head))
    assertThat(sums).isEqualTo(Seq(Some(1001010.0), None, None, None))

    // All replicas come to the same.
    val other = exchange(new Services, Set(0, 2, 5, 7), 8)
    other.begin(of, Vector(Array(0.0)))
    other.receive(services.sent.head)
    for (partition <- Seq(0, 2, 5, 7)) other.commit(of, partition, 0, 1, Some(Array(1.0)))
    assertThat(newest(other, of)).isEqualTo(1001014.0)
    some.receive(
      Updates(
        StageKey(1, 0),
        0,
        1,
        Vector(0, 2, 5, 7).map { partition =>
          MergedUpdate(0, partition, Some(variable.updateToBytes(Array(1.0))))
        }
      )
    )
    assertThat(newest(some, of)).isEqualTo(1001014.0)
  }

  @Test
  def whatComesTwiceOrLateCountsOnce(): Unit = {
    val variable = new DenseVariable("sum", Array(0.0))
    val of = program(variable)
    val some = exchange(new Services, Set(0), 2)
    def theirs(iteration: Int, value: Double) = Updates(
      StageKey(1, 0),
      0,
      iteration,
      Vector(MergedUpdate(0, 1, Some(variable.updateToBytes(Array(value)))))
    )
    // Before any task has begun, and those of the second iteration first.
    for (updates <- Seq(theirs(2, 0.5), theirs(1, 0.25), theirs(1, 0.25))) some.receive(updates)
    some.begin(of, Vector(Array(0.0)))
    assertThat(newest(some, of)).isEqualTo(0.0)
    some.commit(of, 0, 0, 1, Some(Array(1.0)))
    assertThat(newest(some, of)).isEqualTo(1.25)
    for (updates <- Seq(theirs(1, 0.25), theirs(2, 0.5), theirs(1, 0.25))) some.receive(updates)
    assertThat(newest(some, of)).isEqualTo(1.25)
    some.commit(of, 0, 0, 2, None)
    assertThat(newest(some, of)).isEqualTo(1.75)
  }

  /** What it has asked for may come before it has left its slot, and be on its way into the value. */
  @Test
  def aTaskDoesNotWaitForWhatIsBeingApplied(): Unit = {
    val isApplying = new CountDownLatch(1)
    val hasAsked = new CountDownLatch(1)
    val of = program(new DenseVariable("sum", Array(0.0)) {
      override def apply(value: Array[Double], update: Array[Double], iteration: Int) = {
        isApplying.countDown()
        assertThat(hasAsked.await(30, TimeUnit.SECONDS)).isTrue
        super.apply(value, update, iteration)
      }
    })
    val isPausing = new CountDownLatch(1)
    var mustWait = true
    val some = exchange(
      new Services {
        override def pause(task: AgentTask)(isWaiting: => Boolean): Unit = {
          isPausing.countDown()
          assertThat(isApplying.await(30, TimeUnit.SECONDS)).isTrue
          mustWait = isWaiting
          hasAsked.countDown()
        }
      },
      Set(0),
      1
    )
    some.begin(of, Vector(Array(0.0)))
    var read = Double.NaN
    val reader = new Thread(() =>
      read = some.value(null, of, 0, Some(1)).asInstanceOf[Array[Double]].head
    )
    reader.start()
    assertThat(isPausing.await(30, TimeUnit.SECONDS)).isTrue
    some.commit(of, 0, 0, 1, Some(Array(3.0)))
    newest(some, of)
    reader.join()
    assertThat(mustWait).isFalse
    assertThat(read).isEqualTo(3.0)
  }
}
