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

import scala.collection.immutable.TreeMap
import scala.collection.mutable

import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.drizzle.{AgentTask, MergedUpdate, StageKey, Updates}
import org.freshet.drizzle.iterate.SharedVariable

/** What an exchange needs of its agent. */
private[drizzle] trait GroupServices {

  /** Tells another agent, sooner or later. */
  def send(peer: RpcAddress, updates: Updates): Unit

  /** Leaves the slot of this thread's task to others until the task is resumed.
    *
    * @param isWaiting asked without the slot: whether it will be resumed, or else goes on
    */
  def pause(task: AgentTask)(isWaiting: => Boolean): Unit

  /** Paused tasks get slots again, in their turn. */
  def resume(tasks: Vector[AgentTask]): Unit
}

/** An executor's part of an attempt of a group: its replicas of the variables, and the updates that have yet to be
  * applied to them, its own and those that other executors have sent. Safe for use by several threads.
  *
  * Updates are kept by iteration and by the partitions that they come from, so one that comes twice is one, and
  * one of another attempt is not among them. Only threads of tasks merge and apply: they find the
  * application's classes, and have slots.
  */
private[drizzle] final class GroupExchange(key: StageKey, services: GroupServices) {
  import GroupExchange._

  // All below is guarded by this.
  private var share: Share = _
  private val gathered = mutable.HashMap.empty[Step, mutable.HashMap[MergeNode, Update]]
  private val own = mutable.HashMap.empty[Step, Map[MergeNode, Option[Any]]]
  private var waiting = Vector.empty[Waiting]

  /** How many iterations have been applied to each variable. */
  private var applied = Array.emptyIntArray

  // All below is guarded by this object, which is locked before the exchange, if both are.
  private val replicas = new Object
  private var values = Array.empty[Any]
  private var hasBegun = false
  private var hasEnded = false

  /** Which partitions this executor computes. May be said again. */
  def open(partitions: Int, local: Set[Int], peers: Vector[RpcAddress]): Unit = synchronized {
    share = Share(new MergeTree(partitions), partitions, local, peers)
  }

  /** A task begins.
    *
    * @param boundary the values at the end of the group before
    */
  def begin(program: GroupProgram, boundary: => Vector[Any]): Unit = replicas.synchronized {
    if (!hasBegun) {
      values = program.variables
        .zip(boundary)
        .map { case (variable, value) => any(variable).groupBegins(value, program.group) }
        .toArray
      synchronized { applied = Array.fill(values.length)(program.group.first - 1) }
      hasBegun = true
    }
  }

  /** @param through waits for the updates of so many iterations; empty for the newest value there is */
  def value(
      task: AgentTask,
      program: GroupProgram,
      variable: Int,
      through: Option[Int]
  ): Any = {
    var (iterations, value) = newest(program, variable)
    while (through.exists(_ > iterations)) {
      services.pause(task)(waits(task, variable, through.get))
      val now = newest(program, variable)
      iterations = now._1
      value = now._2
    }
    value
  }

  /** A partition has given all its updates of a variable in an iteration. The last one of this executor has
    * them merged and sent to the others.
    */
  def commit(
      program: GroupProgram,
      partition: Int,
      variable: Int,
      iteration: Int,
      update: Option[Any]
  ): Unit = {
    val step = Step(variable, iteration)
    val all = synchronized {
      val updates = own.getOrElse(step, Map.empty) + (MergeNode(0, partition) -> update)
      own(step) = updates
      if (updates.size == share.local.size) own.remove(step) else None
    }
    all.foreach { updates =>
      val of = any(program.variables(variable))
      val neighbours = share.tree.contract(updates)(of.merge)
      val merged = if (of.mergesInAnyOrder) inOne(neighbours)(of.merge) else neighbours
      if (share.peers.nonEmpty) {
        val nodes = merged.iterator.map { case (node, sum) =>
          MergedUpdate(node.level, node.index, sum.map(of.updateToBytes))
        }.toVector
        val message = Updates(key, variable, iteration, nodes)
        share.peers.foreach(services.send(_, message))
      }
      gather(step, merged.toVector.map { case (node, sum) => node -> new Here(sum) })
    }
  }

  /** All in the place of the first, as if others had given nothing. */
  private def inOne(
      nodes: TreeMap[MergeNode, Option[Any]]
  )(merge: (Any, Any) => Any): TreeMap[MergeNode, Option[Any]] = {
    val sum = nodes.valuesIterator.flatten.reduceOption(merge)
    nodes.map { case (node, _) => node -> (if (node == nodes.firstKey) sum else None) }
  }

  /** Another executor's part of an iteration. */
  def receive(updates: Updates): Unit = gather(
    Step(updates.variable, updates.iteration),
    updates.nodes.map(u => MergeNode(u.level, u.index) -> new Received(u.update))
  )

  /** Ends a task, when all updates of the group have been applied here.
    *
    * @param ended called once, with the values at this boundary
    */
  def end(task: AgentTask, program: GroupProgram)(ended: Vector[Any] => Unit): Vector[Any] = {
    program.variables.indices.foreach(value(task, program, _, Some(program.group.last)))
    replicas.synchronized {
      if (!hasEnded) {
        values = program.variables
          .zip(values)
          .map { case (variable, value) => any(variable).groupEnds(value, program.group) }
          .toArray
        hasEnded = true
        ended(values.toVector)
      }
      values.toVector
    }
  }

  private def gather(step: Step, nodes: Vector[(MergeNode, Update)]): Unit = {
    val resumed = synchronized {
      if (!isApplied(step)) {
        val known = gathered.getOrElseUpdate(step, mutable.HashMap.empty)
        for ((node, update) <- nodes) known.getOrElseUpdate(node, update)
      }
      val (going, staying) = waiting.partition(w => canGoOn(w.variable, w.through))
      waiting = staying
      going.map(_.task)
    }
    if (resumed.nonEmpty) {
      services.resume(resumed)
    }
  }

  /** @return whether it has to wait */
  private def waits(task: AgentTask, variable: Int, through: Int): Boolean = synchronized {
    val mustWait = !canGoOn(variable, through)
    if (mustWait) {
      waiting :+= Waiting(task, variable, through)
    }
    mustWait
  }

  private def canGoOn(variable: Int, through: Int): Boolean =
    applied(variable) >= through || isComplete(Step(variable, applied(variable) + 1))

  private def isApplied(step: Step): Boolean =
    step.variable < applied.length && step.iteration <= applied(step.variable)

  private def isComplete(step: Step): Boolean =
    gathered.get(step).exists(_.keysIterator.map(share.tree.size).sum == share.partitions)

  /** Applies what can be applied. */
  private def newest(program: GroupProgram, variable: Int): (Int, Any) = replicas.synchronized {
    var next = complete(variable)
    while (next.isDefined) {
      val (step, updates) = next.get
      val of = any(program.variables(variable))
      val total = share.tree.total(updates.view.mapValues(_.in(of)).toMap)(of.merge)
      total.foreach { update =>
        values(variable) = of(values(variable), update, step.iteration)
      }
      synchronized {
        applied(variable) = step.iteration
        gathered.remove(step)
      }
      next = complete(variable)
    }
    (synchronized(applied(variable)), values(variable))
  }

  /** The next iteration to be applied, if all is there. It stays until it has been, so that a task which asks
    * meanwhile does not wait for what has come already.
    */
  private def complete(variable: Int): Option[(Step, Map[MergeNode, Update])] = synchronized {
    val step = Step(variable, applied(variable) + 1)
    if (isComplete(step)) Some(step -> gathered(step).toMap) else None
  }
}

private[drizzle] object GroupExchange {
  private final case class Step(variable: Int, iteration: Int)

  private final case class Share(
      tree: MergeTree,
      partitions: Int,
      local: Set[Int],
      peers: Vector[RpcAddress]
  )

  private final case class Waiting(task: AgentTask, variable: Int, through: Int)

  /** What some partitions have given; empty if nothing. */
  private sealed trait Update {
    def in(variable: SharedVariable[Any, Any]): Option[Any]
  }

  private final class Here(update: Option[Any]) extends Update {
    override def in(variable: SharedVariable[Any, Any]): Option[Any] = update
  }

  private final class Received(bytes: Option[Array[Byte]]) extends Update {
    override def in(variable: SharedVariable[Any, Any]): Option[Any] =
      bytes.map(variable.updateFromBytes)
  }

  private def any(variable: SharedVariable[_, _]): SharedVariable[Any, Any] =
    variable.asInstanceOf[SharedVariable[Any, Any]]
}
