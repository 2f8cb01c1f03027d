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

import scala.collection.mutable

import org.apache.spark.scheduler.{ExecutorCacheTaskLocation, TaskInfo, TaskLocation}
import org.apache.spark.scheduler.{TaskSet, TaskSetExcludelist}
import org.apache.spark.scheduler.drizzle.iterate.GroupRDD

/** A task set on its way through the agents: what has ended, what runs, and what is still to be sent.
  * Guarded by its dispatcher.
  *
  * @param name of the stage, as users see it
  * @param template what its tasks have in common, without tasks
  * @param works the first attempt of each task
  * @param awaits shuffles that are announced, with the task sets that write them
  * @param exclusions executors that get no tasks of it, or not all; empty if none is to be excluded
  * @param stragglers what tells slow tasks from others; empty if there is to be no second attempt of those
  * @param group the iterations that it runs, if it does: then it runs as a whole, or is given up
  */
private[drizzle] final class StageRun(
    val name: String,
    val taskSet: TaskSet,
    val template: StageWork,
    val works: Array[TaskWork],
    val awaits: Map[Int, StageRun],
    val exclusions: Option[TaskSetExcludelist],
    val stragglers: Option[Stragglers],
    val group: Option[GroupRDD[_]]
) {
  val key: StageKey = template.key

  private val isSuccessful = new Array[Boolean](works.length)
  private var successes = 0
  private val failures = new Array[Int](works.length)
  private val losses = new Array[Int](works.length)
  private val attempts = new Array[Int](works.length)
  private val impatient = mutable.HashSet.empty[Int]

  /** Which attempt's output counts. */
  val succeeded: mutable.Map[Int, Attempt] = mutable.HashMap.empty

  private val underWay = mutable.HashMap.empty[Long, Attempt]
  private val underWayByIndex = mutable.HashMap.empty[Int, Vector[Attempt]]

  /** Sent to an agent and not ended, by their tasks' ids. */
  def running: collection.Map[Long, Attempt] = underWay

  /** Tasks to be sent. */
  val pending: mutable.SortedSet[Int] = mutable.TreeSet.empty[Int] ++ works.indices

  /** Task sets of which the driver has to be told everything before it is told of this one. */
  val parents: mutable.Set[StageRun] =
    mutable.HashSet.empty[StageRun] ++ awaits.values.filterNot(_.isSettled)

  /** Those whose parent it is. */
  val children: mutable.Set[StageRun] = mutable.LinkedHashSet.empty[StageRun]

  /** For tasks that read what others cache that have not ended: those. */
  private val followed = mutable.HashMap.empty[Int, Vector[TaskOfRun]]

  /** Task sets with tasks that follow some of its own. */
  val followers: mutable.Set[StageRun] = mutable.LinkedHashSet.empty[StageRun]

  /** What the driver is to be told then. */
  val heldBack: mutable.Queue[() => Unit] = mutable.Queue.empty

  /** How many tasks read its outputs, if each of them is told to wait for some only; see [[TreeShuffle]]. */
  var treeWidth: Option[Int] = None

  /** No task is begun any more; those that run may end, and count. */
  var isZombie = false

  /** Of results, in bytes. */
  var resultSize = 0L

  /** How long those took that have succeeded. */
  val times = new Slowness.Times

  /** Tasks whose only attempt is slow, until there is a place for a second one. */
  val slow: mutable.Set[Int] = mutable.TreeSet.empty[Int]

  /** Since when there has been a task that may run nowhere, if there is one, in nanoseconds. */
  var unschedulableSinceNs: Option[Long] = None

  /** Whether it was sent before its inputs were there. */
  def isAhead: Boolean = awaits.nonEmpty

  def isComplete: Boolean = successes == works.length

  /** Whether the driver has been told all that those need who wait for it. */
  def isSettled: Boolean = (isComplete || isZombie) && parents.isEmpty

  /** Has a task follow others, which cache what it reads. */
  def follow(index: Int, others: Vector[TaskOfRun]): Unit = if (others.nonEmpty) {
    followed(index) = others
    others.foreach(_.run.followers += this)
  }

  /** Attempts under way that cache what a task reads; nothing if one of those is still to be sent. */
  def leaders(index: Int): Option[Vector[Attempt]] = {
    val toCome = followedBy(index).filterNot(of => of.run.isZombie || of.run.hasSucceeded(of.index))
    val sent = toCome.map(of => of.run.attemptsOf(of.index).find(!_.isRecalled))
    if (sent.forall(_.isDefined)) Some(sent.flatten) else None
  }

  /** It will not be sent any more. */
  def followNone(): Unit = followed.clear()

  private def followedBy(index: Int) = followed.getOrElse(index, Vector.empty)

  /** Where others have cached what a task reads, or are about to. */
  private def placesFollowed(index: Int): Vector[TaskLocation] = {
    val attempts = followedBy(index).flatMap { of =>
      of.run.succeeded.get(of.index).orElse(of.run.attemptsOf(of.index).headOption)
    }
    attempts.map(_.agent).distinct.map(a => ExecutorCacheTaskLocation(a.host, a.executorId))
  }

  /** Attempts of a task that were sent and have not ended. */
  def attemptsOf(index: Int): Vector[Attempt] =
    underWayByIndex.getOrElse(index, Vector.empty)

  def sent(attempt: Attempt): Unit = {
    underWay(attempt.work.taskId) = attempt
    underWayByIndex(attempt.index) = attemptsOf(attempt.index) :+ attempt
  }

  /** An attempt has ended, or will not begin. */
  def forget(attempt: Attempt): Unit = {
    underWay.remove(attempt.work.taskId)
    underWayByIndex.updateWith(attempt.index)(_.map(_.filterNot(_ eq attempt)).filter(_.nonEmpty))
  }

  def hasSucceeded(index: Int): Boolean = isSuccessful(index)

  /** Whether a task may run on an executor. */
  def isAllowed(index: Int, agent: AgentHandle): Boolean = exclusions.forall { list =>
    !list.isNodeExcludedForTaskSet(agent.host) &&
    !list.isExecutorExcludedForTaskSet(agent.executorId) &&
    !list.isNodeExcludedForTask(agent.host, index) &&
    !list.isExecutorExcludedForTask(agent.executorId, index)
  }

  /** Whether there will be no more to tell the driver. */
  def isDone: Boolean = (isComplete || isZombie) && running.isEmpty

  def succeed(attempt: Attempt): Unit = {
    succeeded(attempt.index) = attempt
    succeed(attempt.index)
  }

  /** A task has succeeded, if not here, then in another attempt of its stage. */
  def succeed(index: Int): Unit = {
    pending -= index
    // If its output is lost, failures of long ago shall not fail the stage.
    failures(index) = 0
    if (!isSuccessful(index)) {
      isSuccessful(index) = true
      successes += 1
    }
  }

  /** A task's output is lost. */
  def unsucceed(index: Int): Unit = {
    succeeded -= index
    isSuccessful(index) = false
    successes -= 1
    pending += index
  }

  /** A task's attempt has not succeeded; it is to be sent again, unless another has, or may yet. */
  def again(index: Int): Unit =
    if (!isSuccessful(index) && !isZombie && attemptsOf(index).isEmpty) {
      pending += index
    }

  /** @return how many attempts of the task have failed since it has last succeeded */
  def fail(attempt: Attempt, reason: String): Int = {
    val (index, agent) = (attempt.index, attempt.agent)
    exclusions.foreach(
      _.updateExcludedForFailedTask(agent.host, agent.executorId, index, reason)
    )
    failures(index) += 1
    failures(index)
  }

  /** A task was lost with an executor that the application itself may have ended: before anything was
    * heard of it, but it may have begun, or for a reason that nobody knows. It may be the cause.
    *
    * @return whether this has happened so often that it is to count as a failure
    */
  def lostTooOften(index: Int): Boolean = {
    losses(index) += 1
    losses(index) > StageRun.LossesFree
  }

  /** A task's last attempt has not begun, and will not. */
  def dropped(index: Int): Unit = {
    attempts(index) -= 1
    again(index)
  }

  /** A task has waited long enough for an executor that it prefers. */
  def preferNone(index: Int): Unit = impatient += index

  /** Which agents were sent tasks of a group of iterations. */
  var members: Set[AgentHandle] = Set.empty

  /** Where a task is best run. */
  def preferred(index: Int): Seq[TaskLocation] = {
    val followed = placesFollowed(index)
    if (followed.nonEmpty) followed
    else if (impatient(index)) Seq.empty
    else taskSet.tasks(index).preferredLocations
  }

  /** The next attempt of a task. */
  def next(index: Int, taskId: Long): TaskWork = {
    val number = attempts(index)
    attempts(index) += 1
    works(index).copy(taskId = taskId, attemptNumber = number)
  }
}

private[drizzle] object StageRun {
  private val LossesFree = 4
}

/** Task sets of which there is something to be told, with what waits for what. Guarded by the
  * dispatcher.
  */
private[drizzle] final class RunTable {
  private val byKey = mutable.LinkedHashMap.empty[StageKey, StageRun]
  private val byStage = mutable.HashMap.empty[Int, Vector[StageRun]]

  /** A shuffle whose outputs are announced.
    *
    * @param readers how many of the task sets await them
    * @param agents where those have tasks, and those that write them
    */
  private final class Announced(var readers: Int, val agents: mutable.Set[AgentHandle])

  private val announced = mutable.HashMap.empty[Int, Announced]

  def all: Iterator[StageRun] = byKey.valuesIterator

  /** A stage's attempts, in their order. */
  def of(stageId: Int): Vector[StageRun] = byStage.getOrElse(stageId, Vector.empty)

  def add(run: StageRun): Unit = {
    byKey(run.key) = run
    byStage(run.key.stageId) = of(run.key.stageId) :+ run
    run.parents.foreach(_.children += run)
    run.awaits.keys.foreach { id =>
      announced.getOrElseUpdate(id, new Announced(0, mutable.HashSet.empty)).readers += 1
    }
    for (awaited <- run.template.awaits if awaited.tree.isDefined)
      run.awaits(awaited.shuffleId).treeWidth = awaited.tree
  }

  /** A task of it goes to an agent. */
  def sent(run: StageRun, agent: AgentHandle): Unit =
    for (id <- run.awaits.keysIterator ++ run.template.shuffleId; shuffle <- announced.get(id))
      shuffle.agents += agent

  /** @return for each agent, the shuffles that it may know and whose outputs nobody awaits any more */
  def remove(run: StageRun): Map[AgentHandle, Vector[Int]] =
    if (byKey.remove(run.key).isEmpty) {
      Map.empty
    } else {
      byStage.updateWith(run.key.stageId)(_.map(_.filterNot(_ eq run)).filter(_.nonEmpty))
      run.awaits.keys.foreach(announced(_).readers -= 1)
      val unused = run.awaits.keys.toVector.filter(announced(_).readers == 0)
      val known = for (id <- unused; agent <- announced(id).agents.toVector) yield agent -> id
      announced --= unused
      known.groupMap(_._1)(_._2)
    }
}

/** An attempt of a task that was sent to an agent. Guarded by the dispatcher. */
private[drizzle] final class Attempt(
    val run: StageRun,
    val work: TaskWork,
    val agent: AgentHandle,
    val isSpeculative: Boolean
) {

  val sentNs: Long = System.nanoTime()

  /** Null until it begins. */
  var info: TaskInfo = _

  /** Whether it waits for no outputs, as far as the driver knows. */
  var wantsSlot = false

  /** Whether another attempt of its task has succeeded while this one ran. */
  var isSuperseded = false

  /** Attempts on the same executor that cache what it reads, and have not ended as far as the driver knows. */
  var leaders: Set[Attempt] = Set.empty

  /** Those whose leader it is. */
  var followers: Set[Attempt] = Set.empty

  /** Of its result, in bytes. */
  var resultSize = 0L

  /** Whether its end has been told of. */
  var isEnding = false

  /** Whether it was asked for again, so that another executor may run it. */
  var isRecalled = false

  def index: Int = work.index

  override def toString: String =
    s"task $index.${work.attemptNumber} in stage ${run.key} (TID ${work.taskId})"
}
