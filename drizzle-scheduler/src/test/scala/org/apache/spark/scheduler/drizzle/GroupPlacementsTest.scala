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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.TaskLocation

final class GroupPlacementsTest {
  private val most = 4
  private val placements = new GroupPlacements(cpus = 1)
  private val agents = Vector("1", "2", "3").map(agent(_, Some(2)))
  private val stages = Seq(shape("maps", 3), shape("reduces", 3))

  /** One task of each stage on each executor. */
  private val places = Seq(agents, agents)

  private def agent(id: String, cores: Option[Int]): AgentHandle = {
    val agent =
      new AgentHandle(id, "h", RpcAddress("h", 1), cores, null, null, new Slowness(() => 0L))
    assertThat(agent.cores).isPositive
    agent
  }

  private def shape(name: String, tasks: Int): StageShape =
    StageShape(name, Vector.fill(tasks)(Seq.empty))

  /** Decides for tasks that have ended since. */
  private def keep(all: Seq[AgentHandle] = agents): Unit = {
    places.flatten.foreach(send(_, 1))
    placements.keep(stages, places, all, placements.now)
    places.flatten.foreach(end(_, 1))
  }

  private def isReused(
      stages: Seq[StageShape] = stages,
      most: Int = most,
      isUsable: AgentHandle => Boolean = _ => true,
      isAllowed: (Int, Int, AgentHandle) => Boolean = (_, _, _) => true
  ): Boolean = {
    val found = placements.again(stages, most, isUsable, isAllowed)
    found.foreach(again => assertThat(again == places).isTrue)
    found.isDefined
  }

  private def send(agent: AgentHandle, tasks: Int): Unit =
    for (_ <- 0 until tasks) placements.sent(agent)

  private def end(agent: AgentHandle, tasks: Int): Unit =
    for (_ <- 0 until tasks) placements.left(agent)

  @Test def aDecisionHoldsForAsManyBatchesAsAGroupHas(): Unit = {
    assertThat(isReused()).isFalse
    keep()
    assertThat(Seq.fill(5)(isReused()) == Seq(true, true, true, false, false)).isTrue
    keep()
    // The group may have become smaller meanwhile.
    assertThat(isReused()).isTrue
    assertThat(isReused(most = 2)).isFalse
    assertThat(isReused()).isTrue
  }

  @Test def onlyForStagesThatAreAlike(): Unit = {
    keep()
    assertThat(isReused(stages.reverse)).isFalse
    assertThat(isReused(stages.take(1))).isFalse
    assertThat(isReused(Seq(shape("maps", 3), shape("reduces", 2)))).isFalse
    val near = stages.head.copy(preferred = Vector.fill(3)(Seq(TaskLocation("h", "1"))))
    assertThat(isReused(Seq(near, stages(1)))).isFalse
    assertThat(isReused()).isTrue
  }

  @Test def untilExecutorsChange(): Unit = {
    keep()
    placements.changed()
    assertThat(isReused()).isFalse
    // They have changed while it was made.
    val before = placements.now
    placements.changed()
    placements.keep(stages, places, agents, before)
    assertThat(isReused()).isFalse
    keep()
    assertThat(isReused()).isTrue
  }

  @Test def unlessAnExecutorGetsNoTasksOrIsSlow(): Unit = {
    keep()
    assertThat(isReused(isUsable = _ ne agents(1))).isFalse
    assertThat(
      isReused(isAllowed = (stage, task, agent) => stage < 1 || task < 2 || (agent ne agents(2)))
    ).isFalse
    assertThat(isReused()).isTrue
    agents(2).slowness.assume(3)
    assertThat(isReused()).isFalse
  }

  @Test def unlessAnExecutorHasMoreToDoThanItHad(): Unit = {
    keep()
    send(agents(0), 1)
    assertThat(isReused()).isFalse
    end(agents(0), 1)
    assertThat(isReused()).isTrue
  }

  @Test def unlessATaskWouldWaitThoughThereIsAFreeSlot(): Unit = {
    val fourth = agent("4", Some(1))
    send(agents(0), 1)
    keep(agents :+ fourth)
    assertThat(isReused()).isFalse
    // All others are taken then.
    send(fourth, 1)
    assertThat(isReused()).isTrue
    end(fourth, 1)
    assertThat(isReused()).isFalse
    end(agents(0), 1)
    assertThat(isReused()).isTrue
  }

  @Test def unlessATaskWouldWaitForMoreOthersThanItHasTo(): Unit = {
    agents.foreach(send(_, 5))
    keep()
    // They wait for as many others as they would anywhere.
    assertThat(isReused()).isTrue
    agents.drop(1).foreach(end(_, 5))
    assertThat(isReused()).isFalse
    end(agents(0), 5)
    assertThat(isReused()).isTrue
  }

  @Test def whatChangesByItselfIsNotKept(): Unit = {
    agents(0).slowness.assume(3)
    keep()
    assertThat(isReused()).isFalse
    agents(0).slowness.assume(1)
    keep(agents :+ agent("4", None))
    assertThat(isReused()).isFalse
    // Receivers keep all that it has.
    agents(1).held = 2
    keep()
    assertThat(isReused()).isFalse
  }
}
