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
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.apache.spark.{FetchFailed, JobArtifactSet, Resubmitted, ShuffleDependency, SparkContext}
import org.apache.spark.{Success, TaskContext, TaskEndReason}
import org.apache.spark.executor.ExecutorMetrics
import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.drizzle.iterate.GroupRDD
import org.apache.spark.storage.BlockManagerId
import org.apache.spark.util.{AccumulatorV2, CallSite}

/** Spark's DAGScheduler, which also sends the stages of a job that wait for others, together with
  * those. It keeps all its books (stages, attempts, accumulators, events, recovery) as it does.
  *
  * All that is overridden runs on the event loop's thread, but for [[executorLost]], [[runJob]] and [[submitJob]].
  */
private[drizzle] final class DrizzleDAGScheduler(
    context: SparkContext,
    shared: SharedTaskScheduler,
    val dispatcher: Dispatcher,
    broadcasts: InlineBroadcasts,
    streams: StreamGroups
) extends DAGScheduler(context, shared) {
  /*
   * In stock's books, a stage that is sent ahead is one that runs. If what it waits for is lost, it is
   * taken back: this attempt has ended, the stage waits again, and is submitted by stock when its parents
   * have been computed again.
   */
  // Lazy, because the event loop starts before this constructor ends.
  private lazy val stock = new StockScheduler(this)
  private lazy val isPreScheduling = context.conf.get(DrizzleKeys.PreScheduling)
  private lazy val progress =
    ThreadLocal.withInitial(() => Array.empty[(Long, Int, Int, Seq[AccumulableInfo])])
  private lazy val lossReasons = new ConcurrentHashMap[String, ExecutorLossReason]

  dispatcher.bind(this)
  SerializedMetrics.install(this)

  /** A job of a batch that has begun early ends when the batches before it have. */
  override def runJob[T, U](
      rdd: RDD[T],
      function: (TaskContext, Iterator[T]) => U,
      partitions: Seq[Int],
      callSite: CallSite,
      resultHandler: (Int, U) => Unit,
      properties: Properties
  ): Unit = {
    val turn = streams.before(rdd, function, properties)
    try super.runJob(rdd, function, partitions, callSite, resultHandler, properties)
    finally turn.foreach(_.await())
  }

  override def submitJob[T, U](
      rdd: RDD[T],
      function: (TaskContext, Iterator[T]) => U,
      partitions: Seq[Int],
      callSite: CallSite,
      resultHandler: (Int, U) => Unit,
      properties: Properties
  ): JobWaiter[U] =
    try super.submitJob(rdd, function, partitions, callSite, resultHandler, properties)
    finally Turn.ofOperation.foreach(_.markSubmitted())

  override private[scheduler] def handleJobSubmitted(
      jobId: Int,
      finalRDD: RDD[_],
      func: (TaskContext, Iterator[_]) => _,
      partitions: Array[Int],
      callSite: CallSite,
      listener: JobListener,
      artifacts: JobArtifactSet,
      properties: Properties
  ): Unit = submitting {
    super.handleJobSubmitted(
      jobId,
      finalRDD,
      func,
      partitions,
      callSite,
      listener,
      artifacts,
      properties
    )
    submitAhead(jobId)
  }

  override private[scheduler] def handleMapStageSubmitted(
      jobId: Int,
      dependency: ShuffleDependency[_, _, _],
      callSite: CallSite,
      listener: JobListener,
      artifacts: JobArtifactSet,
      properties: Properties
  ): Unit = submitting {
    super.handleMapStageSubmitted(jobId, dependency, callSite, listener, artifacts, properties)
    submitAhead(jobId)
  }

  override private[scheduler] def handleTaskCompletion(event: CompletionEvent): Unit = {
    // It may submit stages.
    broadcasts.submitting(super.handleTaskCompletion(event))
    event.reason match {
      case Success =>
        stageIdToStage.get(event.task.stageId) match {
          // Now those who ask for them are told.
          case Some(stage: ShuffleMapStage) if stage.isAvailable => dispatcher.launchPending()
          case _                                                 =>
        }
      case _: FetchFailed =>
        val jobs = stageIdToStage.get(event.task.stageId).map(_.jobIds.toSet).getOrElse(Set.empty)
        // Spark forgets all outputs of the executor, whatever job they are of.
        takeBack(
          "map outputs were lost",
          stage => stage.jobIds.exists(jobs.contains) || isNotToCome(stage)
        )
      case _ =>
    }
  }

  override def taskStarted(task: Task[_], info: TaskInfo): Unit = {
    dispatcher.taskOf(task.stageId, info.executorId, begins = true)
    super.taskStarted(task, info)
  }

  override def taskEnded(
      task: Task[_],
      reason: TaskEndReason,
      result: Any,
      updates: Seq[AccumulatorV2[_, _]],
      peaks: Array[Long],
      info: TaskInfo
  ): Unit = {
    // A task that is to be done again has ended before.
    if (reason != Resubmitted) {
      dispatcher.taskOf(task.stageId, info.executorId, begins = false)
    }
    super.taskEnded(task, reason, result, updates, peaks, info)
  }

  /** The stages that have to be computed before a stage can be. On the event loop's thread. */
  def missingParents(stage: Stage): Seq[Stage] = stock.missingParents(stage)

  /** What is told of running tasks meanwhile, in this thread, is told together with what stock knows not of.
    *
    * @param ours task, stage, the stage's attempt, and accumulators
    */
  def alsoTelling(
      ours: Array[(Long, Int, Int, Seq[AccumulableInfo])]
  )(tell: => Boolean): Boolean = {
    progress.set(ours)
    try tell
    finally progress.remove()
  }

  override def executorHeartbeatReceived(
      execId: String,
      accumUpdates: Array[(Long, Int, Int, Seq[AccumulableInfo])],
      blockManagerId: BlockManagerId,
      executorUpdates: mutable.Map[(Int, Int), ExecutorMetrics]
  ): Boolean = super.executorHeartbeatReceived(
    execId,
    accumUpdates ++ progress.get(),
    blockManagerId,
    executorUpdates
  )

  override def executorLost(execId: String, reason: ExecutorLossReason): Unit = {
    lossReasons.put(execId, reason)
    super.executorLost(execId, reason)
  }

  override private[scheduler] def handleExecutorLost(
      execId: String,
      workerHost: Option[String]
  ): Unit = {
    dispatcher.executorLost(execId, Option(lossReasons.remove(execId)).getOrElse(ExecutorKilled))
    super.handleExecutorLost(execId, workerHost)
    takeBack(
      s"executor $execId was lost",
      stage =>
        isNotToCome(stage) || !dispatcher.isFed(stage.id, stock.missingParents(stage).map(_.id))
    )
    dispatcher.launchPending()
  }

  /** Spark forgets all outputs on the worker's host. */
  override private[scheduler] def handleWorkerRemoved(
      workerId: String,
      host: String,
      message: String
  ): Unit = {
    super.handleWorkerRemoved(workerId, host, message)
    takeBack(s"worker $workerId was removed", isNotToCome)
  }

  /** What is submitted meanwhile goes out together, with its binaries in it. */
  private def submitting(body: => Unit): Unit = broadcasts.submitting(dispatcher.together(body))

  /** Submits what waits for stages that have just been submitted. */
  private def submitAhead(jobId: Int): Unit = {
    lazy val properties = jobIdToActiveJob.get(jobId).map(_.properties).orNull
    def next: Option[Stage] = jobIdToStageIds
      .get(jobId)
      .toSeq
      .flatMap(_.toSeq.sorted)
      .flatMap(stageIdToStage.get(_))
      .find(stage => waitingStages(stage) && canGoAhead(stage, properties))
    var stage = next
    while (stage.isDefined) {
      waitingStages -= stage.get
      stock.submitMissingTasks(stage.get, jobId)
      stage = next
    }
  }

  /** Not if it is left to stock, which would begin it at once. */
  private def canGoAhead(stage: Stage, properties: Properties): Boolean =
    isPreScheduling && stage.getNextAttemptId == 0 && Suitability.of(stage, properties).isEmpty &&
      GroupRDD.of(stage).isEmpty && dispatcher.isRoomFor(stage) && {
        val missing = stock.missingParents(stage)
        missing.nonEmpty && missing.forall {
          // What a second attempt would compute anew must be the same.
          case parent: ShuffleMapStage =>
            parent.rdd.outputDeterministicLevel != DeterministicLevel.INDETERMINATE &&
            dispatcher.isWhole(parent)
          case _ => false
        }
      }

  /** Takes back those sent ahead whose inputs are neither there nor sure to come. */
  private def takeBack(why: String, concerned: Stage => Boolean): Unit = {
    val lost = Vector.newBuilder[Stage]
    // Parents first: what waits for one that is taken back is so, too.
    for {
      id <- dispatcher.stagesAhead.toSeq.sorted
      stage <- stageIdToStage.get(id)
      if runningStages(stage) && stock.missingParents(stage).nonEmpty && concerned(stage)
    } {
      dispatcher.takeBack(id)
      stock.endAttempt(stage, s"Taken back, for $why")
      lost += stage
    }
    broadcasts.submitting(lost.result().foreach(stock.submitStage))
  }

  /** Whether inputs of a stage are missing that nobody computes. */
  private def isNotToCome(stage: Stage): Boolean =
    stock.missingParents(stage).exists(!runningStages(_))
}
