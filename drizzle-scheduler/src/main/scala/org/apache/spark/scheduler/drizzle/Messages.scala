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

import java.io.{ByteArrayOutputStream, ObjectOutputStream}
import java.util.Properties

import org.apache.spark.JobArtifactSet
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.RpcAddress

/** Which attempt of which stage. */
private[drizzle] final case class StageKey(stageId: Int, attempt: Int) {
  override def toString: String = s"$stageId.$attempt"
}

/** What an agent is told, by the driver or by another agent. */
private[drizzle] sealed trait ToAgent extends Serializable

/** The driver has lost an executor, and forgotten the blocks that it had.
  *
  * @param address of its agent, if it had one
  * @param areOutputsLost whether its map outputs are lost as well
  */
private[drizzle] final case class ExecutorGone(
    executorId: String,
    address: Option[RpcAddress],
    areOutputsLost: Boolean
) extends ToAgent

/** What is told to an agent's table of tasks. */
private[drizzle] sealed trait ToTasks extends ToAgent

/** What is told to an agent's groups of iterations. */
private[drizzle] sealed trait ToGroups extends ToAgent

/** Tasks to run, as soon as their inputs are there and there is a slot. The driver writes it as a [[SentLaunch]]. */
private[drizzle] final case class Launch(stages: Vector[StageWork]) extends ToTasks

/** Tasks of the stage that have not begun shall not begin; nor shall any that come later. */
private[drizzle] final case class Withdraw(stage: StageKey) extends ToTasks

/** Tasks that have not begun shall not begin here. */
private[drizzle] final case class Recall(taskIds: Vector[Long]) extends ToTasks

/** The driver knows all inputs of the stage, so its tasks can ask for what was not announced. */
private[drizzle] final case class Proceed(stage: StageKey) extends ToTasks

private[drizzle] final case class Kill(
    taskIds: Vector[Long],
    interruptThread: Boolean,
    reason: String
) extends ToTasks

/** Tasks that read a shuffle wait at these agents as well. They are told of the outputs to come, and of those that have been announced. */
private[drizzle] final case class Consumers(shuffleId: Int, agents: Vector[RpcAddress])
    extends ToTasks

/** Nobody waits for these shuffles any more. */
private[drizzle] final case class Forget(shuffles: Vector[Int]) extends ToTasks

/** Map tasks have ended, and this is where their outputs lie.
  *
  * @param numMaps of the whole shuffle
  * @param isTreeLevel whether some of them are enough for some of those that wait
  * @param mapIndexes of the tasks that have ended
  * @param statuses a serialized `Array[MapStatus]`, as long as `mapIndexes`
  * @param outputs those that are small, by their tasks' places in `mapIndexes`
  */
private[drizzle] final case class Announce(
    shuffleId: Int,
    numMaps: Int,
    isTreeLevel: Boolean,
    mapIndexes: Array[Int],
    statuses: Array[Byte],
    outputs: Map[Int, SmallOutput]
)

private[drizzle] final case class Announcements(all: Vector[Announce]) extends ToTasks

/** What some partitions of a group of iterations have given, merged; see `MergeTree`.
  *
  * @param level of the node that stands for these partitions
  * @param index of the node
  * @param update empty if none of them has given anything
  */
private[drizzle] final case class MergedUpdate(level: Int, index: Int, update: Option[Array[Byte]])

/** Updates of a shared variable, of all partitions of a group that an agent has.
  *
  * @param group the attempt
  * @param variable its place among the variables
  */
private[drizzle] final case class Updates(
    group: StageKey,
    variable: Int,
    iteration: Int,
    nodes: Vector[MergedUpdate]
) extends ToGroups

/** An attempt of a group of iterations has ended. */
private[drizzle] final case class Disband(group: StageKey) extends ToGroups

/** There are no more groups of these iterations. */
private[drizzle] final case class ForgetIterations(job: Long) extends ToGroups

/** A shuffle whose outputs are announced to a stage that reads them.
  *
  * @param tree how many tasks read it, if each reads of some map tasks only; see [[TreeShuffle]]
  */
private[drizzle] final case class Awaited(shuffleId: Int, tree: Option[Int])

/** RDD and function of a stage, or RDD and shuffle dependency, as Spark's closure serializer has written them. */
private[drizzle] sealed trait StageBinary extends Serializable {

  /** May wait for other executors that have it, and fail. */
  def bytes: Array[Byte]
}

private[drizzle] object StageBinary {

  /** It comes with the tasks. */
  final case class Sent(bytes: Array[Byte]) extends StageBinary

  /** Executors get it from each other, as from stock Spark. */
  final case class Published(broadcast: Broadcast[Array[Byte]]) extends StageBinary {
    override def bytes: Array[Byte] = broadcast.value
  }
}

/** Some tasks of a stage, and what all its tasks have in common.
  *
  * @param pool the pool whose slots the tasks use
  * @param metrics ids of the internal accumulators, in their order
  * @param shuffleId what the tasks write; empty for those that return results
  * @param awaits the shuffles whose outputs are announced
  * @param isTreeLevel whether those that wait for what the tasks write need the outputs of some of them only
  * @param consumers the agents that wait for what the tasks write; of a group of iterations, all that have tasks
  */
private[drizzle] final case class StageWork(
    key: StageKey,
    jobId: Int,
    binary: StageBinary,
    numPartitions: Int,
    artifacts: JobArtifactSet,
    properties: Properties,
    pool: PoolShare,
    metrics: Array[Long],
    appId: String,
    appAttemptId: Option[String],
    shuffleId: Option[Int],
    cpus: Int,
    awaits: Vector[Awaited],
    isTreeLevel: Boolean,
    consumers: Vector[RpcAddress],
    tasks: Vector[TaskWork]
) {
  @transient lazy val metricsTemplate = new TaskMetricsTemplate(metrics)

  @transient lazy val objects = new StageObjects(binary, tasks.length)

  /** Whether its tasks are a group of iterations. */
  def isGroup: Boolean = shuffleId.isEmpty && consumers.nonEmpty
}

/** One attempt of a task.
  *
  * @param index in the task set
  * @param partition a serialized `Partition`
  * @param outputId which result it is; means nothing for map tasks
  * @param epoch of the map outputs, when the task set was made
  * @param after tasks on the same executor that cache what it reads: it does not begin while they are there
  */
private[drizzle] final case class TaskWork(
    taskId: Long,
    index: Int,
    attemptNumber: Int,
    partitionId: Int,
    partition: Array[Byte],
    outputId: Int,
    epoch: Long,
    after: Vector[Long] = Vector.empty
)

/** What the driver is told by an agent. */
private[drizzle] sealed trait ToDriver extends Serializable

private[drizzle] final case class Register(
    executorId: String,
    host: String,
    address: RpcAddress
) extends ToDriver

/** @param ranMs for how long already, in milliseconds: clocks of machines differ */
private[drizzle] final case class Begun(taskId: Long, ranMs: Long) extends ToDriver

/** @param state a finished `TaskState`'s id
  * @param ranMs for how long, in milliseconds
  * @param agoMs when that was, in milliseconds: the message may have waited
  * @param data what the executor would have sent to the driver
  */
private[drizzle] final case class Ended(
    taskId: Long,
    state: Int,
    ranMs: Long,
    agoMs: Long,
    data: Array[Byte]
) extends ToDriver

/** These have been withdrawn, recalled or killed before they began. */
private[drizzle] final case class Dropped(taskIds: Vector[Long]) extends ToDriver

/** Messages travel as bytes, because Spark's RPC looks for classes where those of a jar that was
  * given to `--jars` are not found.
  */
private[drizzle] object Wire {
  def bytes(message: Serializable): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(message)
    out.close()
    bytes.toByteArray
  }

  private lazy val reader = new ClosureReader(Wire.getClass.getClassLoader)

  def read[T](bytes: Array[Byte]): T = reader.read[T](bytes)
}
