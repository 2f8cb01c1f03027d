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

import java.util.Properties

import org.apache.spark.{JobArtifactSet, TaskContextImpl}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.drizzle.{AgentTask, Disband, PoolShare, StageBinary, StageKey}
import org.apache.spark.scheduler.drizzle.{StageWork, TaskWork, Updates}
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.iterate.{DenseVariable, IterationGroup}
import org.junit.jupiter.api.Test

/** The groups of an executor that computes all partitions, one. */
class IterationGroupsTest {
  private val sum = new DenseVariable("sum", Array(0.0))
  private val here = RpcAddress("here", 1)

  private val groups = new IterationGroups(
    here,
    new GroupServices {
      override def send(peer: RpcAddress, updates: Updates): Unit = ()
      override def pause(task: AgentTask)(isWaiting: => Boolean): Unit =
        throw new AssertionError("Nobody has to wait")
      override def resume(tasks: Vector[AgentTask]): Unit = ()
    },
    _ => null
  )

  @Test
  def theNextGroupBeginsWithWhatTheAttemptBeforeHasMade(): Unit = {
    assertThat(run(attempt = 1, boundaryBy = 0, iteration = 1, boundary = 0.5, update = 1))
      .isEqualTo(1.5)
    // The driver's values are not asked for.
    assertThat(run(attempt = 2, boundaryBy = 1, iteration = 2, Double.NaN, update = 1))
      .isEqualTo(2.5)
  }

  /** It had ended here, and did not elsewhere; the next attempt ran on other executors. */
  @Test
  def theNextGroupDoesNotBeginWithWhatAnAttemptHasMadeThatWasGivenUp(): Unit = {
    run(attempt = 1, boundaryBy = 0, iteration = 1, boundary = 0.5, update = 1)
    assertThat(run(attempt = 3, boundaryBy = 2, iteration = 2, boundary = 7.0, update = 1))
      .isEqualTo(8.0)
  }

  /** @return the sum in the end */
  private def run(
      attempt: Int,
      boundaryBy: Int,
      iteration: Int,
      boundary: Double,
      update: Double
  ): Double = {
    val key = StageKey(attempt, 0)
    groups.open(stage(key))
    val program = new GroupProgram(
      1L,
      attempt,
      boundaryBy,
      IterationGroup(iteration, iteration),
      Vector(sum),
      new Values(Vector(sum.valueToBytes(Array(boundary))))
    )
    val member = groups.join(context(key), program)
    member.commit(0, iteration, Some(Array(update)))
    val ended = member.end()
    groups.handle(Disband(key))
    ended.head.asInstanceOf[Array[Double]].head
  }

  private def context(key: StageKey) = new TaskContextImpl(
    key.stageId,
    key.attempt,
    0,
    key.stageId.toLong,
    0,
    1,
    null,
    new Properties,
    null,
    TaskMetrics.empty,
    1
  )

  private def stage(key: StageKey) = StageWork(
    key,
    1,
    StageBinary.Sent(Array.emptyByteArray),
    1,
    JobArtifactSet.emptyJobArtifactSet,
    new Properties,
    PoolShare.Whole,
    Array.emptyLongArray,
    "application",
    None,
    None,
    1,
    Vector.empty,
    isTreeLevel = false,
    Vector(here),
    Vector(TaskWork(key.stageId.toLong, 0, 0, 0, Array.emptyByteArray, 0, 0L))
  )
}

private final class Values(of: Vector[Array[Byte]]) extends Broadcast[Vector[Array[Byte]]](1L) {
  override protected def getValue(): Vector[Array[Byte]] = of
  override protected def doUnpersist(blocking: Boolean): Unit = ()
  override protected def doDestroy(blocking: Boolean): Unit = ()
}
