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

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.scheduler.TaskLocation

/** What decides where the tasks of a stage go, besides the executors. Stages of other batches are alike if it is equal.
  *
  * @param name of the stage: its place in the application
  * @param preferred where each task is best run
  */
private[drizzle] final case class StageShape(name: String, preferred: Vector[Seq[TaskLocation]]) {
  override lazy val hashCode: Int = (name, preferred).hashCode
}

/** Where tasks went whose stages were sent together, so that those of the next batches of a group go there, too: a
  * [[Placement]] takes longer the more executors there are. A decision is forgotten as soon as a new one might serve a
  * task earlier.
  *
  * Drizzle decides once per group; Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP
  * 2017, section 3.1.
  *
  * Guarded by the dispatcher, but for [[now]] and [[changed]].
  *
  * @param cpus of a task
  */
private[drizzle] final class GroupPlacements(cpus: Int) {
  import GroupPlacements._

  private val epoch = new AtomicLong
  private val decisions = new RecentMap[Seq[StageShape], Decision](Most)

  /** Tasks that were sent and have not ended, on all executors. */
  private var load = 0

  // Of all executors, counted when a decision is kept, and right until the next change of them.
  private var slots = 0

  /** Slots that tasks which were sent leave free. */
  private var free = 0

  /** Identifies the executors and the slots that they have, as far as [[changed]] tells. */
  def now: Long = epoch.get

  /** There is another executor, or one less, or one has other slots. */
  def changed(): Unit = epoch.incrementAndGet()

  /** A task goes to an executor. */
  def sent(agent: AgentHandle): Unit = {
    if (hasFree(agent)) {
      free -= 1
    }
    agent.load += 1
    load += 1
  }

  /** A task of an executor has ended, or will not begin there. */
  def left(agent: AgentHandle): Unit = {
    agent.load -= 1
    load -= 1
    if (hasFree(agent)) {
      free += 1
    }
  }

  private def hasFree(agent: AgentHandle) = agent.areCoresKnown && agent.load < agent.slots(cpus)

  /** Where the tasks of these stages went the last time, if they can go there again.
    *
    * @param stages that are sent together
    * @param most batches of a group, for which one decision holds
    * @param isUsable whether an executor gets tasks
    * @param isAllowed whether a task may run on an executor, by the stage's place among these and the task's in it
    * @return by stage and task
    */
  def again(
      stages: Seq[StageShape],
      most: Int,
      isUsable: AgentHandle => Boolean,
      isAllowed: (Int, Int, AgentHandle) => Boolean
  ): Option[Seq[Vector[AgentHandle]]] = decisions
    .get(stages)
    .filter { decision =>
      decision.uses < most && decision.madeAt == now && isStillGood(decision) &&
      decision.shares.keysIterator.forall(isUsable) && areAllowed(decision, isAllowed)
    }
    .map { decision =>
      decision.uses += 1
      decision.places
    }

  private def areAllowed(
      decision: Decision,
      isAllowed: (Int, Int, AgentHandle) => Boolean
  ): Boolean = decision.places.iterator.zipWithIndex.forall { case (places, stage) =>
    places.indices.forall(task => isAllowed(stage, task, places(task)))
  }

  /** Not if a task would have to wait though there are slots, or for more tasks than the fewest for which tasks have to
    * wait if all executors get their share. Nor if an executor has more to do than it had, in which time others may have
    * got less: one that hangs has kept what it had.
    */
  private def isStillGood(decision: Decision): Boolean = {
    val shares = decision.shares
    val freeThen = free - shares.iterator.map { case (agent, share) =>
      math.max(0, math.min(share.tasks, agent.slots(cpus) - agent.load))
    }.sum
    val fewest = rounds(load + shares.valuesIterator.map(_.tasks).sum, slots)
    shares.forall { case (agent, share) =>
      val needed = rounds(agent.load + share.tasks, agent.slots(cpus))
      agent.slowness.factor == 1 && agent.load <= share.loadBefore &&
      (needed == 1 || (freeThen <= 0 && needed <= fewest))
    }
  }

  /** One after the other on each slot. */
  private def rounds(tasks: Int, slots: Int): Int = (tasks + slots - 1) / slots

  /** A decision was made. It is kept if it does not depend on what changes by itself: an executor is known to be slow
    * for a while only.
    *
    * @param places by stage and task
    * @param all executors
    * @param madeAt what was [[now]] before they were looked at
    */
  def keep(
      stages: Seq[StageShape],
      places: Seq[Vector[AgentHandle]],
      all: Iterable[AgentHandle],
      madeAt: Long
  ): Unit = {
    val shares = places.flatten.groupBy(identity).map { case (agent, tasks) =>
      agent -> Share(tasks.size, agent.load - tasks.size)
    }
    if (
      all.forall(agent => agent.areCoresKnown && agent.slowness.factor == 1) &&
      shares.keysIterator.forall(_.slots(cpus) > 0)
    ) {
      slots = all.iterator.map(_.slots(cpus)).sum
      free = all.iterator.map(agent => math.max(0, agent.slots(cpus) - agent.load)).sum
      decisions.put(stages, new Decision(places, shares, madeAt))
    }
  }
}

private object GroupPlacements {

  /** So many jobs or batches may take turns. */
  private val Most = 64

  /** @param tasks how many an executor gets
    * @param loadBefore how many it had
    */
  private final case class Share(tasks: Int, loadBefore: Int)

  private final class Decision(
      val places: Seq[Vector[AgentHandle]],
      val shares: Map[AgentHandle, Share],
      val madeAt: Long
  ) {

    /** For so many batches it has held. */
    var uses = 1
  }
}
