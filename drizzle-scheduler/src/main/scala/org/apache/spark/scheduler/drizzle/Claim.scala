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

import java.util.concurrent.{Semaphore, TimeUnit}

import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{MapStatus, Task, TaskDescription, TaskSet}
import org.apache.spark.storage.BlockManagerId

/** What wants slots of an executor; the earlier job's, and then the earlier stage's, comes first. */
private[drizzle] sealed abstract class Claim extends Ordered[Claim] {
  def pool: PoolShare
  def jobId: Int
  def stageId: Int
  def stageAttempt: Int

  /** In the task set. */
  def index: Int
  def taskId: Long
  def cpus: Int

  override def compare(that: Claim): Int = {
    val byJob = Integer.compare(jobId, that.jobId)
    def byStage = Integer.compare(stageId, that.stageId)
    def byIndex = Integer.compare(index, that.index)
    if (byJob != 0) byJob
    else if (byStage != 0) byStage
    else if (byIndex != 0) byIndex
    else java.lang.Long.compare(taskId, that.taskId)
  }
}

/** A task in an agent's table. */
private[drizzle] final class AgentTask(val stage: StageWork, val work: TaskWork) extends Claim {
  override def pool: PoolShare = stage.pool
  override def jobId: Int = stage.jobId
  override def stageId: Int = stage.key.stageId
  override def stageAttempt: Int = stage.key.attempt
  override def index: Int = work.index
  override def taskId: Long = work.taskId
  override def cpus: Int = stage.cpus

  private var beganNs = 0L

  /** Whether it has begun and left its slot to others. Guarded by the agent. */
  var isPaused = false

  /** Wakes its thread when it is paused. */
  val resumed = new Semaphore(0)

  /** Tasks here that cache what it reads, and have not ended. Guarded by the agent. */
  var after: Set[Long] = Set.empty

  /** Whether it asks Spark for inputs that were not announced. Guarded by the agent. */
  var asksForInputs = false

  /** Where a map task's output lies, when it has ended. */
  @volatile var output: Option[MapStatus] = None

  def begin(): Unit = beganNs = System.nanoTime()

  /** Since it began, in milliseconds. */
  def ranMs: Long = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs)

  def awaits(shuffleId: Int): Boolean = stage.awaits.exists(_.shuffleId == shuffleId)

  /** Whether all is there that it reads. */
  def isComplete(outputs: collection.Map[Int, Outputs]): Boolean =
    after.isEmpty && (asksForInputs || stage.awaits.forall { awaited =>
      outputs.get(awaited.shuffleId).exists(_.isThere(awaited.tree, work.partitionId))
    })

  /** What it reads, by shuffle, as far as it was announced. */
  def inputs(
      outputs: collection.Map[Int, Outputs],
      here: BlockManagerId
  ): Map[Int, Array[MapStatus]] = {
    val found = for {
      awaited <- stage.awaits
      known <- outputs.get(awaited.shuffleId)
      statuses <- known.of(awaited.tree, work.partitionId, here)
    } yield awaited.shuffleId -> statuses
    found.toMap
  }

  def description(executorId: String): TaskDescription =
    new TaskDescription(
      work.taskId,
      work.attemptNumber,
      executorId,
      s"task ${work.index}.${work.attemptNumber} in stage ${stage.key} (TID ${work.taskId})",
      work.index,
      work.partitionId,
      stage.artifacts,
      stage.properties,
      stage.cpus,
      Map.empty,
      TaskSerializers.stub(work.taskId)
    )

  /** What Spark's executor runs. Called where the thread's loader finds the classes of the job. */
  def toTask: Task[_] = {
    val partition = ClosureReader.ofThisThread.readPartition(work.partition)
    val task =
      if (stage.shuffleId.isDefined) {
        new InlinedMapTask(stage, partition, status => output = Some(status))
      } else {
        new InlinedResultTask(stage, partition)
      }
    task.epoch = work.epoch
    task
  }
}

/** What a task wants that Spark has sent itself: slots, of which Spark does not know that tasks which were sent ahead
  * use them, too. Guarded by the agent.
  */
private[drizzle] final class StockClaim private (
    override val pool: PoolShare,
    override val jobId: Int,
    override val stageId: Int,
    override val stageAttempt: Int,
    override val index: Int,
    override val taskId: Long,
    override val cpus: Int
) extends Claim {
  private var beganNs = Option.empty[Long]

  /** Whether the task is known to come, for which it keeps a slot. */
  var isExpected = false

  def hasSlot: Boolean = beganNs.isDefined

  def begins(): Unit = beganNs = Some(System.nanoTime())

  /** Of the next task of the same stage, which Spark is likely to send when it hears that this one has ended; comes after
    * those of the stage that are here.
    */
  def next: StockClaim =
    new StockClaim(pool, jobId, stageId, stageAttempt, Int.MaxValue, -1 - taskId, cpus)

  /** For how long a slot may be kept for the next one, in nanoseconds: it is lost if none comes. */
  def mostKeptNs: Long = {
    val ranNs = beganNs.fold(0L)(System.nanoTime() - _)
    math.min(StockClaim.MostKeptNs, ranNs / StockClaim.MostKeptShare)
  }
}

private[drizzle] object StockClaim {

  /** Several times what it takes Spark, unless it is busy, to send a task when another has ended. */
  private val MostKeptNs = TimeUnit.MILLISECONDS.toNanos(50)

  /** At most this part, one in so many, of the time that the task before took. */
  private val MostKeptShare = 4

  /** Where its executors find what the tasks of a set claim: their job, and their pool. */
  private val Property = "spark.freshet.internal.drizzle.claim"

  /** To be called before Spark is given a task set. */
  def mark(taskSet: TaskSet, pool: PoolShare): Unit = Option(taskSet.properties).foreach {
    import pool._
    _.setProperty(Property, s"${taskSet.priority} $weight $guaranteed $isFair $name")
  }

  /** What a task claims that Spark has sent. One of a set that could not be marked comes first. */
  def of(task: TaskContext): StockClaim = {
    val (jobId, pool) =
      Option(task.getLocalProperty(Property)).map(_.split(" ", 5)) match {
        case Some(Array(job, weight, guaranteed, isFair, name)) =>
          (job.toInt, PoolShare(name, weight.toInt, guaranteed.toDouble, isFair.toBoolean))
        case _ => (-1, PoolShare.Whole)
      }
    new StockClaim(
      pool,
      jobId,
      task.stageId(),
      task.stageAttemptNumber(),
      task.partitionId(),
      task.taskAttemptId(),
      task.cpus()
    )
  }
}
