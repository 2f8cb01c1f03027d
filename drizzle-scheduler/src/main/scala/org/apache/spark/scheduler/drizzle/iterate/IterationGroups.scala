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

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.drizzle.{AgentTask, Disband, ForgetIterations, RecentSet}
import org.apache.spark.scheduler.drizzle.{StageKey, StageWork, ToGroups, Updates}

/** The groups of iterations that an executor takes part in, and its replicas of shared variables between two
  * groups. Safe for use by several threads.
  *
  * @param task the one that runs under an id
  */
private[drizzle] final class IterationGroups(
    here: RpcAddress,
    services: GroupServices,
    task: Long => AgentTask
) {
  // All below is guarded by this.
  private val exchanges = mutable.HashMap.empty[StageKey, GroupExchange]
  private val disbanded = new RecentSet[StageKey]

  /** The values at the end of the last group, by the iterations that it belongs to. */
  private val replicas = new ConcurrentHashMap[Long, IterationGroups.Replica]

  /** Tasks of a group have come. */
  def open(stage: StageWork): Unit = exchange(stage.key).foreach(
    _.open(
      stage.numPartitions,
      stage.tasks.map(_.partitionId).toSet,
      stage.consumers.filterNot(_ == here)
    )
  )

  def handle(message: ToGroups): Unit = message match {
    // They may be faster than the driver's message that opens the group.
    case updates: Updates => exchange(updates.group).foreach(_.receive(updates))
    case Disband(group) =>
      synchronized {
        disbanded.add(group)
        exchanges.remove(group)
      }
    case ForgetIterations(job) => replicas.remove(job)
  }

  def isOpen(key: StageKey): Boolean = synchronized(exchanges.contains(key))

  /** A task begins. Called in its thread. */
  def join(context: TaskContext, program: GroupProgram): GroupMember = {
    val key = StageKey(context.stageId(), context.stageAttemptNumber())
    val exchange = synchronized(exchanges.get(key)).getOrElse(
      throw new IllegalStateException(
        s"The attempt $key of iterations ${program.group} was given up"
      )
    )
    exchange.begin(
      program,
      Option(replicas.get(program.job))
        .filter(_.attempt == program.boundaryBy)
        .map(_.values)
        .getOrElse(program.variables.zip(program.boundary.value).map(GroupProgram.fromBytes))
    )
    new GroupMember(
      exchange,
      program,
      task(context.taskAttemptId()),
      context.partitionId(),
      values => replicas.put(program.job, IterationGroups.Replica(program.attempt, values))
    )
  }

  private def exchange(key: StageKey): Option[GroupExchange] = synchronized {
    if (disbanded.contains(key)) None
    else Some(exchanges.getOrElseUpdate(key, new GroupExchange(key, services)))
  }
}

private object IterationGroups {

  /** @param attempt the one that made it. It may have been given up afterwards: another attempt of its group may
    *   have come to other values, with which all executors have to go on.
    */
  private final case class Replica(attempt: Int, values: Vector[Any])
}

/** One task's part of a group. For its thread alone. */
private[drizzle] final class GroupMember(
    exchange: GroupExchange,
    program: GroupProgram,
    task: AgentTask,
    partition: Int,
    ended: Vector[Any] => Unit
) {

  /** @param through how many iterations' updates it must have, if it is to wait */
  def value(variable: Int, through: Int, wait: Boolean): Any =
    exchange.value(task, program, variable, if (wait) Some(through) else None)

  def commit(variable: Int, iteration: Int, update: Option[Any]): Unit =
    exchange.commit(program, partition, variable, iteration, update)

  /** The values at the end of the group, when they are there. */
  def end(): Vector[Any] = exchange.end(task, program)(ended)
}
