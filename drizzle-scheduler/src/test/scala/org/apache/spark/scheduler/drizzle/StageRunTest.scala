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

import org.apache.spark.JobArtifactSet
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

final class StageRunTest {
  private val run = StageRunTest.run(stageId = 0, partitions = Seq(0))
  private var lastId = 0L

  private def attempt(): Attempt = {
    lastId += 1
    new Attempt(run, run.next(0, lastId), null, isSpeculative = false)
  }

  private def fail(): Int = run.fail(attempt(), "This is meant to fail")

  @Test
  def failuresBeforeATaskHasSucceededDoNotCountWhenItsOutputIsLost(): Unit = {
    assertThat(Seq(fail(), fail(), fail())).isEqualTo(Seq(1, 2, 3))
    run.succeed(attempt())
    assertThat(run.isComplete).isTrue()
    run.unsucceed(0)
    assertThat(run.pending.toSeq).isEqualTo(Seq(0))
    assertThat(fail()).isEqualTo(1)
  }
}

private object StageRunTest {

  /** A stage's tasks, for these partitions. */
  def run(stageId: Int, partitions: Seq[Int]): StageRun = new StageRun(
    "stage",
    null,
    StageWork(
      StageKey(stageId, 0),
      0,
      null,
      partitions.size,
      JobArtifactSet.emptyJobArtifactSet,
      new Properties,
      PoolShare.Whole,
      Array.emptyLongArray,
      "application",
      None,
      Some(0),
      1,
      Vector.empty,
      isTreeLevel = false,
      Vector.empty,
      Vector.empty
    ),
    partitions.zipWithIndex.map { case (partition, index) =>
      TaskWork(-1L, index, 0, partition, Array.emptyByteArray, -1, 0L)
    }.toArray,
    Map.empty,
    None,
    None,
    None
  )
}
