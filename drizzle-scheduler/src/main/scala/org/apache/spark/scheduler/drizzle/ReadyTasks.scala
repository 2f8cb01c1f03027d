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

/** A pool's part of what there is: Spark's fair scheduling.
  *
  * @param guaranteed the share of all slots that it gets before others, if it wants them
  * @param isFair whether the task sets in it share its slots; else the earlier job's goes first
  */
private[drizzle] final case class PoolShare(
    name: String,
    weight: Int,
    guaranteed: Double,
    isFair: Boolean
) extends Serializable

private[drizzle] object PoolShare {

  /** Of applications without fair scheduling. */
  val Whole: PoolShare = PoolShare("", 1, 0, isFair = false)
}

/** Tasks of an executor whose inputs are there, and those that Spark has sent itself, in the order in which they are
  * to get slots. In a pool that is their own order; pools, and the task sets of a fair pool, get slots by their weights. Spark
  * compares how many tasks of each run, over all executors. An executor alone has too few slots for that
  * to mean anything, so what counts here is for how long they have had them. Idle time earns nothing: what neither
  * has a task that is ready nor runs one is forgotten, once others have had as much.
  *
  * Not safe for use by several threads.
  *
  * @param nanoTime the time
  */
private[drizzle] final class ReadyTasks(slots: => Int, nanoTime: () => Long) {
  private val pools = new Claimants[String, Pool]

  def nonEmpty: Boolean = pools.all.exists(_.nonEmpty)

  def iterator: Iterator[Claim] = pools.all.flatMap(_.iterator)

  /** Those that Spark has not sent itself. */
  def sentAhead: Iterator[AgentTask] = iterator.collect { case task: AgentTask => task }

  def add(task: Claim): Unit = {
    val share = task.pool
    pools(share.name, new Pool(share)).add(task)
  }

  /** A task shall not begin. */
  def remove(task: Claim): Unit = pools.get(task.pool.name).foreach { pool =>
    pool.remove(task)
    pools.forget()
  }

  /** The one that is to begin. */
  def headOption: Option[Claim] = if (nonEmpty) Some(pools.next.head) else None

  /** A task that was here gets its slots. */
  def begins(task: Claim): Unit = {
    val pool = pools(task.pool.name, new Pool(task.pool))
    pool.use(task, task.cpus)
    pool.remove(task)
  }

  /** It has left them. */
  def ended(task: Claim): Unit = pools.get(task.pool.name).foreach { pool =>
    pool.use(task, -task.cpus)
    pools.forget()
  }

  /** What gets slots according to a weight. */
  private abstract class Claimant(weight: Int, guaranteed: Double) {
    private var used = 0
    private var lastNs = nanoTime()

    /** Nanoseconds of slots that were used, divided by the weight. */
    var served = 0.0

    /** Nanoseconds of slots that were guaranteed and not used, or, below zero, used beyond that. */
    private var owed = 0.0

    def nonEmpty: Boolean

    def isIdle: Boolean = used == 0 && !nonEmpty

    /** It has been idle for a while, in which others had at least so much. */
    def wake(servedToOthers: Double): Unit = {
      update()
      served = math.max(served, servedToOthers)
      owed = math.min(owed, 0)
    }

    /** How much it lacks of what it is guaranteed; below zero if nothing. */
    def need: Double = if (guaranteed > 0) owed / guaranteed else -1

    def use(cpus: Int): Unit = {
      update()
      used += cpus
    }

    def update(): Unit = {
      val now = nanoTime()
      val passed = (now - lastNs).toDouble
      lastNs = now
      served += used * passed / math.max(1, weight)
      val balance = owed + (guaranteed * slots - used) * passed
      owed = math.max(-ReadyTasks.LongestOwedNs, math.min(ReadyTasks.LongestOwedNs, balance))
    }
  }

  /** Those among whom slots are shared. */
  private final class Claimants[K: Ordering, C <: Claimant] {
    private val byKey = mutable.TreeMap.empty[K, C]

    def all: Iterator[C] = byKey.valuesIterator

    def get(key: K): Option[C] = byKey.get(key)

    /** @param made a new one */
    def apply(key: K, made: => C): C = {
      val found = byKey.getOrElseUpdate(key, made)
      if (found.isIdle) {
        servedToBusy.foreach(found.wake)
      }
      found
    }

    /** What those have had at least that are not idle; empty if all are. */
    private def servedToBusy: Option[Double] = {
      val busy = all.filterNot(_.isIdle).toVector
      busy.foreach(_.update())
      busy.map(_.served).minOption
    }

    /** Forgets those that are idle and have not had more than others. */
    def forget(): Unit = if (all.exists(_.isIdle)) {
      val least = servedToBusy
      byKey.filterInPlace((_, c) => !c.isIdle || least.exists(c.served > _))
    }

    /** Who lacks most of what is guaranteed, or else has had least. There must be one with tasks. */
    def next: C = if (byKey.size == 1) {
      byKey.head._2
    } else {
      val wanting = all.filter(_.nonEmpty).toVector
      wanting.foreach(_.update())
      val most = wanting.map(_.served).max
      wanting.foreach(c => c.served = math.max(c.served, most - ReadyTasks.LongestOwedNs))
      val needy = wanting.maxBy(_.need)
      if (needy.need >= 0) needy else wanting.minBy(_.served)
    }
  }

  private final class Pool(share: PoolShare) extends Claimant(share.weight, share.guaranteed) {
    private val tasks = mutable.TreeSet.empty[Claim]
    private val taskSets = new Claimants[(Int, Int), TasksOfSet]

    private def key(task: Claim) = (task.stageId, task.stageAttempt)

    override def nonEmpty: Boolean = tasks.nonEmpty

    def iterator: Iterator[Claim] = tasks.iterator

    def head: Claim = if (share.isFair) taskSets.next.tasks.head else tasks.head

    def add(task: Claim): Unit = {
      tasks += task
      if (share.isFair) {
        taskSets(key(task), new TasksOfSet).tasks += task
      }
    }

    def remove(task: Claim): Unit = {
      tasks -= task
      taskSets.get(key(task)).foreach(_.tasks -= task)
      taskSets.forget()
    }

    def use(task: Claim, cpus: Int): Unit = {
      use(cpus)
      taskSets.get(key(task)).foreach(_.use(cpus))
      taskSets.forget()
    }
  }

  private final class TasksOfSet extends Claimant(1, 0) {
    val tasks: mutable.TreeSet[Claim] = mutable.TreeSet.empty
    override def nonEmpty: Boolean = tasks.nonEmpty
  }
}

private object ReadyTasks {

  /** A pool that got too little, or too much, does not make up for more of it than this. */
  private val LongestOwedNs = 1e9
}
