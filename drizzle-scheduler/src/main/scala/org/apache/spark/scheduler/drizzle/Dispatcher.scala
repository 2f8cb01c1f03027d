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

import java.nio.ByteBuffer
import java.util.Properties
import java.util.concurrent.{ConcurrentHashMap, RejectedExecutionException, TimeUnit}
import java.util.concurrent.atomic.LongAdder

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark._
import org.apache.spark.InternalAccumulator.RESULT_SIZE
import org.apache.spark.TaskState.TaskState
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.{CPUS_PER_TASK, EXECUTOR_DECOMMISSION_KILL_INTERVAL}
import org.apache.spark.internal.config.{LOCALITY_WAIT, MAX_RESULT_SIZE, SPECULATION_ENABLED}
import org.apache.spark.internal.config.{SPECULATION_INTERVAL, UNSCHEDULABLE_TASKSET_TIMEOUT}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.rpc.{RpcAddress, RpcCallContext, RpcEnv}
import org.apache.spark.resource.ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID
import org.apache.spark.rpc.ThreadSafeRpcEndpoint
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend
import org.apache.spark.scheduler.drizzle.iterate.{GroupGivenUp, GroupRDD}
import org.apache.spark.serializer.SerializerHelper
import org.apache.spark.util.{AccumulatorV2, LongAccumulator, ThreadUtils, Utils}

/** An executor that takes tasks ahead.
  *
  * @param slowness guarded by the dispatcher
  */
private[drizzle] final class AgentHandle(
    val executorId: String,
    val host: String,
    val address: RpcAddress,
    coresNow: => Option[Int],
    val outbox: Outbox,
    val skeletons: Skeletons.Delivered,
    val slowness: Slowness = new Slowness
) {
  @volatile private var known = 0

  /** Tasks that were sent and have not ended. Guarded by the dispatcher. */
  var load = 0

  /** Those of them that wait for no outputs, but run or want to. Guarded by the dispatcher. */
  var wanting = 0

  /** Tasks that stock runs there, which have slots or wait for one as well. Guarded by the dispatcher. */
  var ofStock = 0

  /** Cores of tasks that never end. Guarded by the dispatcher. */
  var held = 0

  /** How many tasks have a slot or want one. Guarded by the dispatcher. */
  def slotsWanted: Int = wanting + ofStock

  /** As the driver has heard of it; 1 until then. */
  def cores: Int = {
    if (known == 0) {
      known = coresNow.getOrElse(0)
    }
    math.max(1, known)
  }

  /** Whether the driver has heard of them when it asked last. */
  def areCoresKnown: Boolean = known > 0

  /** How many tasks it can run at once, besides those that never end. Guarded by the dispatcher. */
  def slots(cpusOfTask: Int): Int =
    math.max(if (held > 0) 0 else 1, free / cpusOfTask)

  /** Guarded by the dispatcher. */
  def hasSlots: Boolean = held == 0 || free > 0

  /** Cores that tasks can have which end. */
  private def free: Int = cores - held

  /** How many cores of others do as much as it does. Guarded by the dispatcher. */
  def power: Double = (if (hasSlots) free else cores) / slowness.factor
}

/** Sends task sets to the executors' agents, and tells the DAGScheduler what becomes of their tasks,
  * as Spark's TaskSetManager does for those that it has: failed tasks are tried again, map outputs
  * on a lost executor are computed anew, and what a stage's tasks have done is told after all that
  * the tasks of its parents have done. Safe for use by several threads.
  */
private[drizzle] final class Dispatcher(
    sc: SparkContext,
    stock: TaskSchedulerImpl,
    val source: DrizzleSource
) extends Logging {
  private val env = sc.env
  private val courier = new Courier("drizzle-dispatcher", Transport.of(sc.conf, "driver"))
  private val clock = ThreadUtils.newDaemonSingleThreadScheduledExecutor("drizzle-clock")
  private val results = ThreadUtils.newDaemonFixedThreadPool(4, "drizzle-results")
  private val cpus = sc.conf.get(CPUS_PER_TASK)
  private val maxResultSize = sc.conf.get(MAX_RESULT_SIZE)
  private val rebalanceMs = sc.conf.get(DrizzleKeys.RebalanceInterval)
  private val localityWaitMs = sc.conf.get(LOCALITY_WAIT)
  private val isSpeculating = sc.conf.get(SPECULATION_ENABLED)
  private val isDynamic = Utils.isDynamicAllocationEnabled(sc.conf)
  private val exclusion = new Exclusion(sc, stock)
  private val busyExecutors = new BusyExecutors(stock)
  private val skeletons = new Skeletons
  private val mostBatches = sc.conf.get(DrizzleKeys.MostBatches)
  @volatile private var groupSize: () => Int = () => 1
  private val closures = new ThreadLocal[serializer.SerializerInstance] {
    override def initialValue(): serializer.SerializerInstance =
      env.closureSerializer.newInstance()
  }

  private val busy = new LongAdder

  /** Stages that are receivers, and how many cores those that run have on which executors. Not guarded: Spark's
    * scheduler tells of its tasks while it holds a lock of its own.
    */
  private val receivers = ConcurrentHashMap.newKeySet[Int]()
  private val held = new ConcurrentHashMap[String, Int]

  // All below is guarded by this.
  private var dag: DrizzleDAGScheduler = _
  private val agents = mutable.LinkedHashMap.empty[String, AgentHandle]
  private val lostExecutors = new RecentSet[String]

  /** Those who have said that they are there, and have not yet answered. */
  private val arriving = mutable.HashMap.empty[String, AgentHandle]
  private val runs = new RunTable
  private val placements = new GroupPlacements(cpus)
  private val cached = new CachedPartitions

  /** Stages that were found to compute what those need that are about to be submitted. */
  private var joined = Map.empty[Int, StageRun]

  private val attempts = mutable.HashMap.empty[Long, Attempt]
  private val rehearsals = new Rehearsals(
    sc,
    sc.conf.get(DrizzleKeys.LongestRehearsal),
    source.rehearsed,
    skeletons,
    (agent, message) => toAgent(agent, message),
    admit
  )

  /** Until then, it is not looked again where slots are idle: to look at each executor takes long where there are
    * thousands. By the system's clock for intervals.
    */
  private var restNs = System.nanoTime()

  /** Task sets that are to be sent together; empty if each goes alone. */
  private var gathered: Option[Vector[StageRun]] = None

  env.rpcEnv.setupEndpoint(
    Dispatcher.EndpointName,
    new ThreadSafeRpcEndpoint {
      override val rpcEnv: RpcEnv = env.rpcEnv

      override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
        case bytes: Array[Byte] =>
          MessageCodec.read[ToDriver](bytes).foreach(m => Utils.tryLogNonFatalError(handle(m)))
          call.reply(true)
      }
    }
  )

  source.unsent(() => synchronized(runs.all.map(_.pending.size).sum))
  source.slow(() => synchronized(agents.valuesIterator.count(_.slowness.factor > 1)))

  def bind(scheduler: DrizzleDAGScheduler): Unit = synchronized { dag = scheduler }

  /** @param size how many batches of a DStream make a group, now */
  def grouped(size: () => Int): Unit = groupSize = size

  clock.scheduleWithFixedDelay(
    () => Utils.tryLogNonFatalError(remind()),
    Dispatcher.RemindMs,
    Dispatcher.RemindMs,
    TimeUnit.MILLISECONDS
  )

  clock.scheduleWithFixedDelay(
    () => Utils.tryLogNonFatalError { endRehearsals(); rebalance() },
    rebalanceMs,
    rebalanceMs,
    TimeUnit.MILLISECONDS
  )

  if (isSpeculating) {
    val intervalMs = sc.conf.get(SPECULATION_INTERVAL)
    clock.scheduleWithFixedDelay(
      () => Utils.tryLogNonFatalError(speculate()),
      intervalMs,
      intervalMs,
      TimeUnit.MILLISECONDS
    )
  }

  def stop(): Unit = {
    clock.shutdownNow()
    courier.close()
    results.shutdownNow()
  }

  /** How long tasks have run, all together. */
  def busyMs: Long = busy.sum()

  /** How many tasks can run at once. */
  def slots: Int = synchronized(alive.map(_.slots(cpus)).sum)

  /** Where tasks go: not where receivers have all slots, if there is another place. */
  private def targets: Seq[AgentHandle] = {
    val all = alive
    val free = all.filter(_.hasSlots)
    if (free.isEmpty) all else free
  }

  /** How many executors take tasks ahead. */
  def agentCount: Int = synchronized(agents.size)

  /** How many task sets there are that have not ended, or whose tasks have not. */
  def openTaskSets: Int = synchronized(runs.all.size)

  /** Task sets that are submitted meanwhile go out together. On the event loop's thread. */
  def together(submitting: => Unit): Unit = {
    synchronized { gathered = Some(Vector.empty) }
    try submitting
    finally
      synchronized {
        val all = gathered.get
        gathered = None
        joined = Map.empty
        send(all)
      }
  }

  /** Takes a task set, or leaves it to stock. On the event loop's thread. */
  def submit(taskSet: TaskSet): Boolean = {
    val stage = dag.stageIdToStage(taskSet.stageId)
    // What has been sent ahead would begin at once with stock, so it waits for executors here.
    val missing = missingParents(stage)
    val noAgents =
      if (missing.isEmpty && !synchronized(agents.valuesIterator.exists(isAlive)))
        Some(Unsuited.NoAgents)
      else None
    Suitability.of(stage, taskSet.properties).orElse(noAgents) match {
      case Some(unsuited) =>
        source.leftToStock(unsuited).inc()
        if (unsuited == Unsuited.Receiver) {
          receivers.add(taskSet.stageId)
        }
        logInfo(s"Stage ${taskSet.id} is left to Spark's own scheduler: ${unsuited.reason}")
        val group = GroupRDD.of(stage)
        group.foreach { iterations =>
          // Its tasks cannot run there: what asked for it submits others.
          iterations.giveUp(GroupGivenUp.LeftToStock(unsuited.reason))
          dag.taskSetFailed(taskSet, s"Left to plain jobs: ${unsuited.reason}", None)
        }
        group.isDefined
      case None =>
        worksOf(taskSet).foreach(start(taskSet, missing, _))
        true
    }
  }

  /** Nothing if they cannot be serialized, which fails the stage: as with stock, no other attempt is made. */
  private def worksOf(taskSet: TaskSet): Option[Array[TaskWork]] =
    try Some(toWorks(taskSet))
    catch {
      case NonFatal(e) =>
        val why = s"Failed to serialize the tasks of stage ${taskSet.id}: $e"
        logError(why, e)
        dag.taskSetFailed(taskSet, why, Some(e))
        None
    }

  private def start(
      taskSet: TaskSet,
      missing: Seq[ShuffleMapStage],
      works: Array[TaskWork]
  ): Unit = {
    val template = toTemplate(taskSet)
    synchronized {
      val earlier = runs.of(taskSet.stageId)
      val run = toRun(taskSet, missing, template, works)
      // What waits for an earlier attempt waits for this one.
      for (before <- earlier; child <- before.children) {
        child.parents += run
        run.children += child
      }
      run.treeWidth = earlier.flatMap(_.treeWidth).lastOption
      earlier.foreach(retire)
      runs.add(run)
      // What other jobs cache, Spark finds where it finds it.
      if (StreamGroups.isBatch(taskSet.properties)) {
        val stage = dag.stageIdToStage(taskSet.stageId)
        cached.add(run, stage.rdd, (rdd, index) => dag.getCacheLocs(rdd)(index).nonEmpty)
      }
      source.dispatched.inc()
      if (run.isAhead) {
        source.sentAhead.inc()
      }
      gathered match {
        case Some(others) => gathered = Some(others :+ run)
        case None         => send(Seq(run))
      }
    }
  }

  /** Whether all outputs of a stage are among those that are about to be sent for, or were sent for so that others can
    * be told of them who come later. On the event loop's thread.
    */
  def isWhole(stage: ShuffleMapStage): Boolean = synchronized {
    val whole = current(stage.id).filter { run =>
      run.works.length == stage.numPartitions &&
      (gathered.exists(_.contains(run)) || isAnnounced(run))
    }
    // It may have ended when they are submitted.
    whole.foreach(run => joined += stage.id -> run)
    whole.isDefined
  }

  /** Whether executors keep what they have announced of a task set's outputs. */
  private def isAnnounced(run: StageRun): Boolean =
    run.treeWidth.isEmpty && run.children.exists(_.running.nonEmpty)

  /** Whether a stage can go ahead without more executors being asked for than it has use for: dynamic allocation asks
    * for as many as all stages need that have been submitted. On the event loop's thread.
    */
  def isRoomFor(stage: Stage): Boolean = !isDynamic || synchronized {
    val ofJobs = runs.all.filter { run =>
      !run.isZombie && dag.stageIdToStage
        .get(run.key.stageId)
        .exists(_.jobIds.exists(stage.jobIds.contains))
    }
    ofJobs.map(run => run.pending.size + run.running.size).sum + stage.numTasks <= slots
  }

  /** Stages that were sent before their inputs were there, and not taken back. */
  def stagesAhead: Set[Int] = synchronized {
    runs.all.filter(run => run.isAhead && !run.isZombie).map(_.key.stageId).toSet
  }

  /** Whether a stage that was sent ahead can go on waiting: all that is missing of its inputs is being computed,
    * and those that compute it will tell its tasks.
    */
  def isFed(stageId: Int, missingParents: Seq[Int]): Boolean = synchronized {
    current(stageId).exists { run =>
      missingParents.forall { id =>
        run.parents.exists(p => p.key.stageId == id && !p.isZombie && !p.isComplete)
      }
    }
  }

  /** The stage's tasks shall not begin; it will be submitted again. */
  def takeBack(stageId: Int): Unit = synchronized {
    current(stageId).foreach { run =>
      source.takenBack.inc()
      retire(run)
    }
  }

  def kill(taskId: Long, interruptThread: Boolean, reason: String): Boolean = synchronized {
    attempts.get(taskId).map(kill(_, interruptThread, reason)).isDefined
  }

  def killAll(stageId: Int, interruptThread: Boolean, reason: String): Unit = synchronized {
    runs.of(stageId).foreach { run =>
      run.running.valuesIterator.foreach(kill(_, interruptThread, reason))
      retire(run)
    }
  }

  /** A task of another attempt of the stage has computed this partition. */
  def partitionCompleted(stageId: Int, partitionId: Int): Unit = synchronized {
    current(stageId).foreach { run =>
      val index = run.works.indexWhere(_.partitionId == partitionId)
      if (index >= 0) {
        run.succeed(index)
        settle(run)
      }
    }
  }

  /** On the event loop's thread, before the executor's map outputs are forgotten there. */
  def executorLost(executorId: String, reason: ExecutorLossReason): Unit = synchronized {
    lostExecutors.add(executorId)
    arriving.remove(executorId)
    rehearsals.lost(executorId)
    held.remove(executorId)
    val lostAgent = agents.remove(executorId)
    placements.changed()
    val areOutputsLost = !sc.shuffleDriverComponents.supportsReliableStorage() &&
      !env.blockManager.externalShuffleServiceEnabled
    // Their tasks may be reading from it, or about to.
    val gone = ExecutorGone(executorId, lostAgent.map(_.address), areOutputsLost)
    agents.valuesIterator.foreach(toAgent(_, gone))
    lostAgent.foreach { lost =>
      // Stock's backends on YARN and Kubernetes tell the DAGScheduler nothing else, and nothing more.
      val isUnknown = reason == LossReasonPending
      val isCausedByApp = reason match {
        case ExecutorExited(_, byApp, _)                                     => byApp
        case ExecutorKilled | ExecutorDecommission(_, _) | LossReasonPending => false
        case ExecutorProcessLost(_, _, byApp)                                => byApp
        case _                                                               => true
      }
      // Before its tasks fail one after the other, as only what is told first counts. Those whose tasks had ended there
      // may not have told others all.
      for (run <- runs.all.toVector if run.members(lost) && !run.isComplete) {
        val begun = run.running.valuesIterator.filter(a => (a.agent eq lost) && a.info != null)
        // A group is short: what happens to the same partition in it again and again is its own doing.
        val suspects =
          if (isCausedByApp || isUnknown) begun.map(_.work.partitionId).toSet else Set.empty[Int]
        giveUp(run, GroupGivenUp.Failed(s"executor $executorId was lost ($reason)", suspects))
      }
      for (attempt <- attempts.valuesIterator.filter(_.agent eq lost).toVector) {
        val hasBegun = attempt.info != null
        // What is unknown may be the task's own doing, and it shall not end executors for ever.
        val isTooOften =
          (isUnknown || (isCausedByApp && !hasBegun)) && attempt.run.lostTooOften(attempt.index)
        if (!hasBegun && !isTooOften) {
          // It may have begun, and asked for leave to commit, though nothing was heard of it.
          sc.env.outputCommitCoordinator.taskCompleted(
            attempt.run.key.stageId,
            attempt.run.key.attempt,
            attempt.work.partitionId,
            attempt.work.attemptNumber,
            ExecutorLostFailure(executorId, isCausedByApp, Some(reason.toString))
          )
          forget(attempt)
          attempt.run.again(attempt.index)
          settle(attempt.run)
        } else {
          begun(attempt, 0)
          val failure =
            ExecutorLostFailure(executorId, isCausedByApp || isTooOften, Some(reason.toString))
          fail(attempt, TaskState.FAILED, failure, 0)
        }
      }
      for {
        run <- runs.all.toVector
        if areOutputsLost && run.template.shuffleId.isDefined && !run.isZombie && !run.isComplete
        attempt <- run.succeeded.valuesIterator.toVector
        if attempt.agent eq lost
      } {
        run.unsucceed(attempt.index)
        val task = run.taskSet.tasks(attempt.index)
        tell(run)(dag.taskEnded(task, Resubmitted, null, Seq.empty, Array.empty, attempt.info))
      }
    }
  }

  /** Sends what has not been sent, or has come back. */
  def launchPending(): Unit = synchronized {
    val withOthers = gathered.toSet.flatten
    send(runs.all.filterNot(withOthers).toVector)
  }

  /** Mends what no message has mended: tasks wait though all their inputs are known here (an
    * announcement did not arrive, or could not be made), or because there was no executor.
    */
  private def remind(): Unit = synchronized {
    launchPending()
    if (exclusion.isOn) {
      runs.all.toVector.foreach(checkSchedulable)
    }
    for {
      run <- runs.all.toVector
      if run.isAhead && run.parents.isEmpty && !run.isZombie
      waiting = run.running.valuesIterator.filter(_.info == null).toVector
      if waiting.nonEmpty && areInputsKnown(run)
      agent <- waiting.map(_.agent).distinct
    } toAgent(agent, Proceed(run.key))
  }

  /** Spark binds a task to an executor when there is a slot for it; here, that was when it was sent. So
    * if there are idle slots now, they get tasks that wait elsewhere.
    */
  private def rebalance(): Unit = synchronized {
    val beginNs = System.nanoTime()
    if (attempts.valuesIterator.exists(_.info == null)) {
      recallUnwelcome()
      moveToIdle()
    }
    val endNs = System.nanoTime()
    restNs = endNs + Dispatcher.RestFactor * (endNs - beginNs)
  }

  /** A task has ended. If that leaves a slot idle, another one may have waited for it long enough elsewhere. */
  private def rebalanceFor(agent: AgentHandle): Unit =
    if (agent.slotsWanted < agent.slots(cpus) && System.nanoTime() - restNs >= 0) {
      rebalance()
    }

  private def moveToIdle(): Unit = {
    val all = alive
    val idle = all.filter(agent => agent.slotsWanted < agent.slots(cpus))
    if (idle.nonEmpty && all.exists(agent => agent.slotsWanted > agent.slots(cpus))) {
      val share = all.map(_.slotsWanted).sum / all.map(_.power).sum
      def fair(agent: AgentHandle) =
        if (agent.power < agent.cores) (share * agent.power).toInt
        else math.max(agent.slots(cpus), math.ceil(share * agent.cores).toInt)
      var room = idle.map(agent => math.max(0, fair(agent) - agent.slotsWanted)).sum
      val (hosts, executors) = (idle.map(_.host).toSet, idle.map(_.executorId).toSet)
      val movable = attempts.valuesIterator.filter(canMove(_, hosts, executors)).toVector
      for ((agent, there) <- movable.groupBy(_.agent).toSeq.sortBy(-_._1.slotsWanted) if room > 0) {
        // Those that would run last.
        val recalled =
          there.sortBy(-_.work.taskId).take(math.min(room, agent.slotsWanted - fair(agent)))
        room -= recalled.size
        recall(agent, recalled)
      }
    }
  }

  /** Tasks that wait where they would not be sent any more: on an executor that is excluded, or that is decommissioned, if
    * there is another one. It runs what it has begun, and Spark gives it no more.
    */
  private def recallUnwelcome(): Unit = {
    val all = agents.valuesIterator.toVector
    val excluded = if (exclusion.isOn) all.filter(exclusion.isExcluded) else Vector.empty
    val leaving = if (all.exists(isAlive)) all.filter(isLeaving) else Vector.empty
    if (exclusion.isOn || leaving.nonEmpty) {
      val shunned = (excluded ++ leaving).toSet
      attempts.valuesIterator
        .filter { attempt =>
          attempt.info == null && !attempt.isRecalled && !attempt.run.isZombie &&
          attempt.run.group.isEmpty &&
          (shunned(attempt.agent) || !attempt.run.isAllowed(attempt.index, attempt.agent))
        }
        .toVector
        .groupBy(_.agent)
        .foreach { case (agent, there) => recall(agent, there) }
    }
  }

  /** They go to others, when they have been given back. */
  private def recall(agent: AgentHandle, waiting: Vector[Attempt]): Unit = if (waiting.nonEmpty) {
    waiting.foreach { attempt =>
      attempt.isRecalled = true
      attempt.run.preferNone(attempt.index)
    }
    source.recalled.inc(waiting.size.toLong)
    toAgent(agent, Recall(waiting.map(_.work.taskId)))
  }

  /** Has slow tasks tried on another host as well, if there is an idle slot. */
  private def speculate(): Unit = synchronized {
    val nowMs = System.currentTimeMillis()
    lazy val places = targets
    for {
      run <- runs.all.toVector if !run.isZombie && run.parents.isEmpty
      stragglers <- run.stragglers
    } {
      def isAlone(index: Int) = !run.hasSucceeded(index) && run.attemptsOf(index).size == 1
      for {
        attempt <- run.running.valuesIterator if attempt.info != null
        index = attempt.index
        if isAlone(index) && !run.slow(index) &&
          stragglers.isSlow(attempt.info, nowMs, goneAtMs(attempt.agent)) && run.slow.add(index)
      } {
        logInfo(s"$attempt is slow and is to be tried on another host as well")
        dag.speculativeTaskSubmitted(run.taskSet.tasks(index), index)
      }
      run.slow.filterInPlace(isAlone)
      val sent = for {
        index <- run.slow.toVector
        first = run.attemptsOf(index).head.agent
        others = places.filter { agent =>
          agent.host != first.host && agent.slotsWanted < agent.slots(cpus) &&
          run.isAllowed(index, agent)
        } if others.nonEmpty
        agent <- new Placement(others).place(run.preferred(index), _ => true)
      } yield {
        run.slow -= index
        source.speculated.inc()
        attempt(run, index, agent, isSpeculative = true)
      }
      if (sent.nonEmpty) {
        launch(Seq(run -> sent))
      }
    }
  }

  /** When an executor that is decommissioned will be gone, if that is known. */
  private def goneAtMs(agent: AgentHandle): Option[Long] = for {
    seconds <- sc.conf.get(EXECUTOR_DECOMMISSION_KILL_INTERVAL)
    state <- stock.getExecutorDecommissionState(agent.executorId)
  } yield state.startTime + TimeUnit.SECONDS.toMillis(seconds)

  /** If a task may run on no executor there is, an idle one is exchanged; if that does not help, or there is
    * none, its stage fails: see Spark's TaskSchedulerImpl.
    */
  private def checkSchedulable(run: StageRun): Unit = {
    val unschedulable =
      if (run.isZombie || run.parents.nonEmpty || agents.isEmpty) None
      else
        run.pending.find { index =>
          agents.valuesIterator.forall(a => exclusion.isExcluded(a) || !run.isAllowed(index, a))
        }
    def isIdle(agent: AgentHandle) = agent.load == 0 && !stock.isExecutorBusy(agent.executorId)
    val (stageId, attempt) = (run.key.stageId, run.key.attempt)
    (unschedulable, run.unschedulableSinceNs) match {
      case (None, Some(_)) =>
        run.unschedulableSinceNs = None
        if (isDynamic) dag.unschedulableTaskSetRemoved(stageId, attempt)
      case (Some(index), Some(sinceNs)) =>
        val passedNs = System.nanoTime() - sinceNs
        if (
          TimeUnit.NANOSECONDS.toSeconds(passedNs) >= sc.conf.get(UNSCHEDULABLE_TASKSET_TIMEOUT)
        ) {
          abortExcluded(run, index)
        }
      case (Some(index), None) =>
        val idle = agents.valuesIterator.find(isIdle)
        if (idle.isDefined || isDynamic) {
          run.unschedulableSinceNs = Some(System.nanoTime())
          if (idle.isDefined) exclusion.replace(idle.get.executorId)
          else dag.unschedulableTaskSetAdded(stageId, attempt)
        } else {
          abortExcluded(run, index)
        }
      case (None, None) =>
    }
  }

  private def abortExcluded(run: StageRun, index: Int): Unit = abort(
    run,
    s"""Aborting ${run.taskSet} because task $index (partition ${run.works(index).partitionId})
       |cannot run anywhere due to node and executor excludeOnFailure.
       |Most recent failure:
       |${run.exclusions.map(_.getLatestFailureReason).getOrElse("")}
       |
       |ExcludeOnFailure behavior can be configured via spark.excludeOnFailure.*.""".stripMargin,
    None
  )

  /** Whether a task waits, and has done so long enough for it to be moved to one of these. */
  private def canMove(
      attempt: Attempt,
      hosts: Set[String],
      executors: Set[String]
  ): Boolean = attempt.info == null && attempt.wantsSlot && !attempt.isRecalled &&
    attempt.followers.isEmpty &&
    !attempt.run.isZombie && attempt.run.group.isEmpty && {
      val preferred = attempt.run.preferred(attempt.index)
      val isAsGood = preferred.isEmpty || preferred.exists {
        case there: ExecutorCacheTaskLocation => executors(there.executorId)
        case there                            => hosts(there.host)
      }
      val waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - attempt.sentNs)
      waitedMs >= (if (isAsGood) Dispatcher.MovableMs else localityWaitMs)
    }

  /** A task begins or ends. */
  def taskOf(stageId: Int, executorId: String, begins: Boolean): Unit =
    if (receivers.contains(stageId)) {
      held.compute(
        executorId,
        (_, before) => math.max(0, before + (if (begins) cpus else -cpus))
      )
      placements.changed()
    }

  private def current(stageId: Int): Option[StageRun] =
    runs.of(stageId).find(!_.isZombie)

  private def alive: Seq[AgentHandle] = {
    val ofStock = stock.runningTasksByExecutors
    agents.valuesIterator.filter { agent =>
      agent.held = held.getOrDefault(agent.executorId, 0)
      val ofOurs = if (agent.load > 0) BusyExecutors.CountedAs else 0
      agent.ofStock =
        math.max(0, ofStock.getOrElse(agent.executorId, 0) - ofOurs - agent.held / cpus)
      isAlive(agent)
    }.toSeq
  }

  private def isAlive(agent: AgentHandle): Boolean =
    // Stock calls no executor alive that is decommissioned.
    stock.isExecutorAlive(agent.executorId) && backend.isExecutorActive(agent.executorId) &&
      !exclusion.isExcluded(agent)

  /** Whether it is decommissioned. */
  private def isLeaving(agent: AgentHandle): Boolean =
    stock.getExecutorDecommissionState(agent.executorId).isDefined

  /** Whether stock runs nothing but receivers. */
  private def isStockIdle: Boolean = stock.synchronized {
    stock.rootPool.runningTasks <= held.values.asScala.sum / cpus
  }

  private def toWorks(taskSet: TaskSet): Array[TaskWork] = {
    val serializer = closures.get()
    val epoch = stock.mapOutputTracker.getEpoch
    taskSet.tasks.zipWithIndex.map { case (task, index) =>
      task.epoch = epoch
      TaskWork(
        -1L,
        index,
        0,
        task.partitionId,
        JavaUtils.bufferToArray(serializer.serialize(StockTask.partition(task))),
        task match {
          case result: ResultTask[_, _] => result.outputId
          case _                        => -1
        },
        epoch
      )
    }
  }

  private def toTemplate(taskSet: TaskSet): StageWork = {
    val first = taskSet.tasks.head
    val stage = dag.stageIdToStage(taskSet.stageId)
    StageWork(
      StageKey(taskSet.stageId, taskSet.stageAttemptId),
      taskSet.priority,
      StockTask.binary(first),
      stage.numPartitions,
      first.artifacts,
      Option(taskSet.properties).getOrElse(new Properties),
      pool(taskSet),
      stage.latestInfo.taskMetrics.internalAccums.map(_.id).toArray,
      sc.applicationId,
      sc.applicationAttemptId,
      taskSet.shuffleId,
      cpus,
      Vector.empty,
      isTreeLevel = false,
      Vector.empty,
      Vector.empty
    )
  }

  /** The pool that stock would have put it in, which is made if it is not there. */
  def pool(taskSet: TaskSet): PoolShare =
    if (stock.schedulingMode != SchedulingMode.FAIR) {
      PoolShare.Whole
    } else {
      val name = Option(taskSet.properties)
        .flatMap(p => Option(p.getProperty(SparkContext.SPARK_SCHEDULER_POOL)))
        .getOrElse(Dispatcher.DefaultPool)
      val pool = stock.synchronized {
        sc.getPoolForName(name).getOrElse {
          val made = new Pool(name, SchedulingMode.FIFO, 0, 1)
          stock.rootPool.addSchedulable(made)
          made
        }
      }
      PoolShare(
        name,
        pool.weight,
        pool.minShare.toDouble / math.max(1, slots),
        pool.schedulingMode == SchedulingMode.FAIR
      )
    }

  private def toRun(
      taskSet: TaskSet,
      missing: Seq[ShuffleMapStage],
      template: StageWork,
      works: Array[TaskWork]
  ): StageRun = {
    val stage = dag.stageIdToStage(taskSet.stageId)
    val awaits = for {
      parent <- missing
      run <- current(parent.id).orElse(joined.get(parent.id))
      shuffle = parent.shuffleDep
      tree = TreeShuffle.width(shuffle).filter(_ => TreeShuffle.isRead(shuffle, stage.rdd))
    } yield Awaited(shuffle.shuffleId, tree) -> run
    val group = GroupRDD.of(stage)
    new StageRun(
      stage.name,
      taskSet,
      template.copy(awaits = awaits.map(_._1).toVector),
      works,
      awaits.map { case (awaited, run) => awaited.shuffleId -> run }.toMap,
      // No task of a group has a second attempt.
      if (group.isEmpty) exclusion.forTaskSet(template.key) else None,
      if (isSpeculating && group.isEmpty) {
        Some(new Stragglers(sc.conf, works.length, slotsOfExecutor))
      } else {
        None
      },
      group
    )
  }

  /** Not those that it does not need, since what they would be read for is cached. */
  private def missingParents(stage: Stage): Seq[ShuffleMapStage] = {
    val missing =
      stage.parents.collect { case parent: ShuffleMapStage if !parent.isAvailable => parent }
    if (missing.isEmpty) missing else missing.intersect(dag.missingParents(stage))
  }

  /** As Spark knows it before there are any. */
  private lazy val slotsOfExecutor: Int = {
    val profile = sc.resourceProfileManager.resourceProfileFromId(DEFAULT_RESOURCE_PROFILE_ID)
    if (profile.isCoresLimitKnown) profile.maxTasksPerExecutor(sc.conf) else 1
  }

  /** Sends all pending tasks, in one message to each executor unless they are too long for that. */
  private def send(together: Seq[StageRun]): Unit = {
    val wanting = together.filter { run =>
      run.pending.nonEmpty && !run.isZombie && (run.parents.nonEmpty || areInputsKnown(run))
    }
    if (wanting.nonEmpty) {
      sendWanting(wanting)
    }
  }

  private def sendWanting(wanting: Seq[StageRun]): Unit = {
    val madeAt = placements.now
    val most = groupOf(wanting)
    val shapes = if (most > 1) shapesOf(wanting) else None
    val again = shapes.flatMap(placedAgain(wanting, _, most))
    for (placed <- again.orElse(placedAnew)) {
      val writers = wanting.map(run => run -> writersFor(run)).toMap
      // All places first: who writes must know who waits.
      val launched = wanting.map { run =>
        val sent =
          for ((index, agent) <- placed(run))
            yield attempt(run, index, agent, isSpeculative = false)
        run.pending --= sent.map(_.index)
        run -> sent
      }
      (if (again.isEmpty) source.placed else source.placedAgain).inc(launched.size.toLong)
      if (again.isEmpty && wanting.forall(_.pending.isEmpty)) {
        for (shape <- shapes)
          placements.keep(shape, launched.map(_._2.map(_.agent)), agents.values, madeAt)
      }
      for ((run, sent) <- launched if run.parents.nonEmpty)
        source.sentAgain.inc(sent.count(_.work.attemptNumber > 0).toLong)
      for ((run, sent) <- launched; (shuffle, agents) <- writers(run) if sent.nonEmpty) {
        val consumers = Consumers(shuffle, sent.map(_.agent.address).distinct)
        agents.foreach(toAgent(_, consumers))
      }
      launch(launched)
      // They are sent where those went that they follow.
      send(
        launched.filter(_._2.nonEmpty).flatMap(_._1.followers).distinct.filterNot(wanting.contains)
      )
    }
  }

  /** Those who have been sent tasks that write what the run awaits, by shuffle, and do not know of the tasks that it has yet
    * to send.
    */
  private def writersFor(run: StageRun): Map[Int, Set[AgentHandle]] =
    if (run.parents.isEmpty) {
      Map.empty
    } else {
      run.awaits.map { case (shuffle, first) =>
        val attempts = first +: run.parents.filter(_.template.shuffleId.contains(shuffle)).toVector
        shuffle -> attempts.iterator
          .flatMap(p => p.running.valuesIterator ++ p.succeeded.valuesIterator)
          .map(_.agent)
          .filter(agent => agents.get(agent.executorId).contains(agent))
          .toSet
      }
    }

  /** What stages have in common with those of the next batch, if these are sent whole, and where they go does not depend
    * on what stock has sent somewhere.
    */
  private def shapesOf(wanting: Seq[StageRun]): Option[Seq[StageShape]] = {
    def isWhole(run: StageRun) = run.group.isEmpty && run.pending.size == run.works.length &&
      run.works.indices.forall(run.leaders(_).isDefined)
    if (wanting.forall(isWhole) && isStockIdle) {
      Some(wanting.map(run => StageShape(run.name, run.works.indices.map(run.preferred).toVector)))
    } else {
      None
    }
  }

  /** For how many batches one decision holds where their tasks go. Jobs in a loop are as many. */
  private def groupOf(wanting: Seq[StageRun]): Int =
    if (wanting.exists(run => StreamGroups.isBatch(run.template.properties))) groupSize()
    else mostBatches

  private def placedAgain(
      wanting: Seq[StageRun],
      shapes: Seq[StageShape],
      most: Int
  ): Option[StageRun => Vector[(Int, AgentHandle)]] = placements
    .again(
      shapes,
      most,
      isAlive,
      (stage, index, agent) => wanting(stage).isAllowed(index, agent)
    )
    .map { places =>
      // Nothing of stock's runs anywhere, which may have been otherwise when it was looked last.
      places.flatten.foreach(_.ofStock = 0)
      val byRun = wanting.zip(places).toMap
      run => byRun(run).zipWithIndex.map(_.swap)
    }

  private def placedAnew: Option[StageRun => Vector[(Int, AgentHandle)]] = {
    val places = targets
    if (places.isEmpty) {
      None
    } else {
      val placement = new Placement(places)
      Some(placed(_, placement))
    }
  }

  private def placed(run: StageRun, placement: Placement): Vector[(Int, AgentHandle)] = {
    val indexes = run.pending.toVector
    if (run.group.isEmpty) {
      for {
        index <- indexes if run.leaders(index).isDefined
        agent <- placement.place(run.preferred(index), run.isAllowed(index, _))
      } yield index -> agent
    } else if (indexes.size == run.template.numPartitions) {
      val together = indexes.zip(placement.placeTogether(indexes.map(run.preferred)))
      run.members = together.map(_._2).toSet
      together
    } else {
      giveUp(run, GroupGivenUp.Failed("a task was to run apart from the others"))
      Vector.empty
    }
  }

  private def attempt(
      run: StageRun,
      index: Int,
      agent: AgentHandle,
      isSpeculative: Boolean
  ): Attempt = {
    val leaders = run.leaders(index).toVector.flatten.filter(_.agent eq agent)
    val work = run.next(index, stock.newTaskId()).copy(after = leaders.map(_.work.taskId))
    val attempt = new Attempt(run, work, agent, isSpeculative)
    attempts(work.taskId) = attempt
    if (leaders.nonEmpty) {
      source.following.inc()
      attempt.leaders = leaders.toSet
      leaders.foreach(_.followers += attempt)
    }
    placements.sent(agent)
    if (agent.load == 1) {
      busyExecutors.begins(agent.executorId)
    }
    run.sent(attempt)
    runs.sent(run, agent)
    if (run.parents.isEmpty && leaders.isEmpty) {
      wantsSlot(attempt)
    }
    attempt
  }

  private def launch(placed: Seq[(StageRun, Vector[Attempt])]): Unit = {
    val stages = placed.map { case (run, sent) =>
      val stage = run.template.copy(
        // Those whose parents have ended find their inputs as stock's do.
        awaits =
          if (run.parents.isEmpty) Vector.empty
          else run.template.awaits.filterNot(awaited => isKnown(run, awaited.shuffleId)),
        isTreeLevel = run.treeWidth.isDefined,
        consumers = consumers(run)
      )
      val common = new StageBytes(stage, run.works.head.partition, Some(skeletons -> run.name))
      common -> sent.groupBy(_.agent)
    }
    for (agent <- stages.flatMap(_._2.keys).distinct) {
      val pieces = for {
        (common, byAgent) <- stages.toVector
        sent <- byAgent.get(agent).toVector
        // A group is opened with all tasks of it.
        piece <- if (sent.head.run.group.isEmpty) inPieces(sent)(bytesOf) else Vector(sent)
      } yield common -> piece
      for (works <- inPieces(pieces)(_._2.map(bytesOf).sum)) {
        source.messages.inc()
        agent.outbox.send(
          SentLaunch(works.map { case (common, sent) =>
            common.withTasks(sent.map(_.work), agent.skeletons)
          }),
          failed = unsent(agent, works.flatMap(_._2), _)
        )
      }
    }
  }

  private def bytesOf(attempt: Attempt): Long = attempt.work.partition.length.toLong

  /** In order, and in pieces that go into a message each. */
  private def inPieces[A](all: Vector[A])(bytes: A => Long): Vector[Vector[A]] = {
    val pieces = Vector.newBuilder[Vector[A]]
    var piece = Vector.empty[A]
    var length = 0L
    for (one <- all) {
      if (piece.nonEmpty && length + bytes(one) > Outbox.MostBytes) {
        pieces += piece
        piece = Vector.empty
        length = 0
      }
      piece :+= one
      length += bytes(one)
    }
    (pieces += piece).result()
  }

  /** As with stock, no other attempt is made with tasks that are too long, or cannot be written. */
  private def unsent(agent: AgentHandle, sent: Vector[Attempt], cause: Throwable): Unit =
    synchronized {
      val ofRuns = sent.map(_.run).distinct
      for (run <- ofRuns) {
        val why =
          s"Tasks of stage ${run.key} can't be sent to executor ${agent.executorId}, with " +
            s"partitions of ${Utils.bytesToString(sent.filter(_.run eq run).map(bytesOf).sum)}; " +
            s"consider broadcast variables for large values: $cause"
        logError(why, cause)
        run.group.foreach(_.giveUp(GroupGivenUp.Failed(why, Set(run.works.head.partitionId))))
        abort(run, why, Some(cause))
      }
      sent.filter(attempt => attempts.contains(attempt.work.taskId)).foreach(forget)
      ofRuns.foreach(settle)
    }

  /** Whether executors that ask for the inputs that were not there at first will be told of all of them. The
    * DAGScheduler has been told, but may not have come to it.
    */
  private def areInputsKnown(run: StageRun): Boolean = run.awaits.keys.forall(isKnown(run, _))

  private def isKnown(run: StageRun, shuffle: Int): Boolean =
    stock.mapOutputTracker.getNumAvailableOutputs(shuffle) ==
      run.awaits(shuffle).template.numPartitions

  /** Who waits for the outputs of a task set. */
  private def consumers(run: StageRun): Vector[RpcAddress] =
    if (run.group.isDefined) {
      run.members.iterator.map(_.address).toVector
    } else {
      run.children.iterator
        .flatMap(_.running.valuesIterator.map(_.agent.address))
        .distinct
        .toVector
    }

  /** A group of iterations is run as a whole or not at all. */
  private def giveUp(run: StageRun, why: GroupGivenUp): Unit =
    run.group.filter(_ => !run.isZombie).foreach { group =>
      group.giveUp(why)
      abort(run, s"Given up, to be run again: ${why.why}", None)
    }

  /** There are no more groups of these iterations. */
  def forgetIterations(job: Long): Unit = synchronized {
    agents.valuesIterator.foreach(_.outbox.sendLater(ForgetIterations(job)))
  }

  private def handle(message: ToDriver): Unit = message match {
    case Register(executorId, host, address) =>
      // It may take a while, and other messages shall not wait.
      execute(register(executorId, host, address))
    case Begun(taskId, ranMs) =>
      synchronized(attempts.get(taskId).foreach(begun(_, ranMs)))
    case Dropped(taskIds) =>
      synchronized {
        val dropped = taskIds.flatMap(attempts.get(_))
        dropped.foreach { attempt =>
          forget(attempt)
          // As stock does with a task that was killed and not its stage.
          attempt.run.dropped(attempt.index)
          giveUp(attempt.run, GroupGivenUp.Failed(s"$attempt was killed before it began"))
        }
        val ofRuns = dropped.map(_.run).distinct
        send(ofRuns)
        ofRuns.foreach(settle)
      }
    case ended: Ended => execute(handleEnd(ended))
  }

  private def execute(work: => Unit): Unit =
    try results.execute(() => Utils.logUncaughtExceptions(work))
    catch {
      case _: RejectedExecutionException if sc.isStopped =>
    }

  private def register(executorId: String, host: String, address: RpcAddress): Unit = {
    val isRehearsalWorthwhile = rehearsals.isWorthwhile()
    // Others were asked for by stages that are left to stock.
    val isForAll = profileOf(executorId) == DEFAULT_RESOURCE_PROFILE_ID
    synchronized {
      def known =
        agents.get(executorId).orElse(rehearsals.of(executorId)).orElse(arriving.get(executorId))
      // It may have been said before, and the executor may be gone by now.
      if (isForAll && !lostExecutors.contains(executorId) && !known.exists(_.address == address)) {
        def cores =
          Try(sc.statusStore.executorSummary(executorId).totalCores).toOption.filter(_ > 0)
        lazy val ref = env.rpcEnv.setupEndpointRef(address, DrizzleAgent.Name)
        val delivered = new Skeletons.Delivered(skeletons)
        lazy val agent: AgentHandle = new AgentHandle(
          executorId,
          host,
          address,
          cores,
          courier.outbox(
            () => ref,
            () => synchronized(known.exists(_ eq agent)),
            (messages, areTaken) => {
              delivered.answered(messages, areTaken)
              reached(agent, isRehearsalWorthwhile)
            }
          ),
          delivered
        )
        // It has reached the driver. Only an answer tells that the driver reaches it.
        arriving(executorId) = agent
        agent.outbox.send(Forget(Vector.empty))
        clock.schedule(
          (
              () => synchronized(if (isArriving(agent)) unreached(agent))
          ): Runnable,
          Dispatcher.UnreachedMs,
          TimeUnit.MILLISECONDS
        )
      }
    }
  }

  private def isArriving(agent: AgentHandle): Boolean =
    arriving.get(agent.executorId).exists(_ eq agent)

  private def reached(agent: AgentHandle, isRehearsalWorthwhile: => Boolean): Unit = synchronized {
    if (isArriving(agent)) {
      arriving.remove(agent.executorId)
      if (isRehearsalWorthwhile && alive.nonEmpty) rehearsals.begin(agent) else admit(agent)
    }
  }

  private def unreached(agent: AgentHandle): Unit = logWarning(
    s"Executor ${agent.executorId} has not answered at ${agent.address} so far. Freshet sends it no tasks before it " +
      s"does; Spark's own scheduler may. Connections from the driver, and from other executors, to that port must be allowed; " +
      s"${DrizzleKeys.AgentPort.key} sets it."
  )

  /** Which resource profile an executor was asked for with; of one that is gone, none that there is. */
  private def profileOf(executorId: String): Int = backend.getExecutorResourceProfileId(executorId)

  /** What knows first of executors that are about to be ended. */
  private def backend: CoarseGrainedSchedulerBackend =
    sc.schedulerBackend.asInstanceOf[CoarseGrainedSchedulerBackend]

  /** An executor gets tasks from now on. */
  private def admit(agent: AgentHandle): Unit = {
    agents(agent.executorId) = agent
    placements.changed()
    logInfo(s"Executor ${agent.executorId} at ${agent.address} takes tasks ahead")
    launchPending()
  }

  private def endRehearsals(): Unit = synchronized {
    if (rehearsals.all.nonEmpty) {
      rehearsals.checkTime(alive)
    }
  }

  private def handleEnd(ended: Ended): Unit = {
    val attempt = synchronized {
      rehearsals.taskEnded(ended.taskId, TaskState(ended.state))
      // It may have been sent twice, and both be here at once.
      val found = attempts.get(ended.taskId).filterNot(_.isEnding)
      found.foreach { attempt =>
        attempt.isEnding = true
        begun(attempt, ended.ranMs + ended.agoMs)
      }
      found
    }
    attempt.foreach { a =>
      val state = TaskState(ended.state)
      val data = ByteBuffer.wrap(ended.data)
      try
        if (state == TaskState.FINISHED) {
          result(a, ended.data) match {
            case Right(value) => succeed(a, value, ended.agoMs)
            case Left(reason) => synchronized(fail(a, TaskState.FAILED, reason, ended.agoMs))
          }
        } else {
          synchronized(fail(a, state, failure(data), ended.agoMs))
        }
      catch {
        case NonFatal(e) =>
          logError(s"What $a returned can't be read", e)
          synchronized {
            abort(a.run, s"Exception while getting task result: $e", Some(e))
            if (attempts.contains(ended.taskId)) {
              forget(a)
              settle(a.run)
            }
          }
      }
      synchronized(rebalanceFor(a.agent))
    }
  }

  private def result(
      attempt: Attempt,
      data: Array[Byte]
  ): Either[TaskFailedReason, DirectTaskResult[_]] = {
    val size = data.length.toLong
    val metrics = attempt.run.template.metricsTemplate
    ResultCodec.read(data, metrics, closures.get()).getOrElse {
      closures.get().deserialize[TaskResult[_]](ByteBuffer.wrap(data))
    } match {
      case direct: DirectTaskResult[_] =>
        if (isTooMuch(attempt, direct.valueByteBuffer.size)) Left(Dispatcher.TooLarge)
        else Right(sized(direct, size))
      case IndirectTaskResult(block, blockSize) =>
        if (isTooMuch(attempt, blockSize)) {
          env.blockManager.master.removeBlock(block)
          Left(Dispatcher.TooLarge)
        } else {
          attempt.info.markGettingResult(System.currentTimeMillis())
          tell(attempt.run)(dag.taskGettingResult(attempt.info))
          env.blockManager.getRemoteBytes(block) match {
            case None => Left(TaskResultLost)
            case Some(bytes) =>
              val direct =
                ResultCodec.read(bytes.toInputStream(), metrics, closures.get()).getOrElse {
                  SerializerHelper
                    .deserializeFromChunkedBuffer[DirectTaskResult[_]](closures.get(), bytes)
                }
              env.blockManager.master.removeBlock(block)
              Right(sized(direct, blockSize.toLong))
          }
        }
    }
  }

  private def sized(result: DirectTaskResult[_], size: Long): DirectTaskResult[_] = {
    result.value(env.serializer.newInstance())
    result.accumUpdates.foreach {
      case size_ : LongAccumulator if size_.name.contains(RESULT_SIZE) => size_.setValue(size)
      case _                                                           =>
    }
    result
  }

  private def isTooMuch(attempt: Attempt, size: Long): Boolean = synchronized {
    val run = attempt.run
    run.resultSize += size
    attempt.resultSize = size
    val isTooMuch =
      maxResultSize > 0 && run.template.shuffleId.isEmpty && run.resultSize > maxResultSize
    if (isTooMuch) {
      abort(
        run,
        s"Total size of serialized results of ${run.works.length} tasks " +
          s"(${Utils.bytesToString(run.resultSize)}) is bigger than ${MAX_RESULT_SIZE.key} " +
          s"(${Utils.bytesToString(maxResultSize)})",
        None
      )
    }
    isTooMuch
  }

  private def failure(data: ByteBuffer): TaskFailedReason =
    try closures.get().deserialize[TaskFailedReason](data, Utils.getContextOrSparkClassLoader)
    catch {
      case NonFatal(e) =>
        logError("Why a task failed can't be read", e)
        UnknownReason
    }

  private def begun(attempt: Attempt, ranMs: Long): Unit = if (attempt.info == null) {
    val run = attempt.run
    val task = run.taskSet.tasks(attempt.index)
    val info = new TaskInfo(
      attempt.work.taskId,
      attempt.index,
      attempt.work.attemptNumber,
      attempt.work.partitionId,
      System.currentTimeMillis() - ranMs,
      attempt.agent.executorId,
      attempt.agent.host,
      Placement.locality(task.preferredLocations, attempt.agent, stock.getRackForHost),
      attempt.isSpeculative
    )
    info.launchSucceeded()
    attempt.info = info
    tell(run)(dag.taskStarted(task, info))
  }

  private def succeed(
      attempt: Attempt,
      result: DirectTaskResult[_],
      agoMs: Long
  ): Unit = synchronized {
    val run = attempt.run
    if (attempt.isSuperseded) {
      run.resultSize -= attempt.resultSize
      fail(attempt, TaskState.KILLED, Dispatcher.Superseded, agoMs)
    } else if (attempts.contains(attempt.work.taskId)) {
      end(attempt, TaskState.FINISHED, agoMs)
      rehearsals.taskEnded(attempt.info.duration)
      run.stragglers.foreach(_.succeeded(attempt.info, result.accumUpdates))
      run.succeed(attempt)
      for (width <- run.treeWidth) {
        val partition = attempt.work.partitionId
        if (!TreeShuffle.isKept(result.value().asInstanceOf[MapStatus], partition, width)) {
          // Tasks may have begun without it.
          abort(run, TreeShuffle.whyBroken(partition, width), None)
        }
      }
      run.attemptsOf(attempt.index).foreach { other =>
        other.isSuperseded = true
        kill(other, interruptThread = true, "another attempt succeeded")
      }
      tellEnded(attempt, Success, result.value(), result.accumUpdates, result.metricPeaks)
      run.times.add(attempt.agent, attempt.info.duration)
      if (run.isComplete) {
        exclusion.succeeded(run)
        run.times.learn()
      }
      settle(run)
    }
  }

  /** An executor says what its tasks have counted so far.
    *
    * @param updates accumulators by task
    * @param byStock tells the DAGScheduler of those that stock has sent
    */
  def progress(updates: Array[(Long, Seq[AccumulatorV2[_, _]])])(byStock: => Boolean): Boolean = {
    val (scheduler, ours) = synchronized {
      val ours = for ((taskId, counted) <- updates; attempt <- attempts.get(taskId)) yield {
        val run = attempt.run
        run.stragglers.foreach(_.progress(taskId, counted))
        (taskId, run.key.stageId, run.key.attempt, counted.map(_.toInfoUpdate))
      }
      (dag, ours)
    }
    scheduler.alsoTelling(ours)(byStock)
  }

  private def fail(
      attempt: Attempt,
      state: TaskState,
      reason: TaskFailedReason,
      agoMs: Long
  ): Unit =
    if (attempts.contains(attempt.work.taskId)) {
      end(attempt, state, agoMs)
      val run = attempt.run
      val index = attempt.index
      val what = s"Lost $attempt (${attempt.agent.host} executor ${attempt.agent.executorId}): " +
        reason.toErrorString
      logWarning(what)
      val (updates, peaks) = reason match {
        case e: ExceptionFailure => (e.accums, e.metricPeaks.toArray)
        case k: TaskKilled       => (k.accums, k.metricPeaks.toArray)
        case _                   => (Seq.empty, Array.empty[Long])
      }
      tellEnded(attempt, reason, null, updates, peaks)
      reason match {
        case lost: FetchFailed =>
          run.succeed(index)
          Option(lost.bmAddress).foreach(at => exclusion.fetchFailed(at.host, at.executorId))
          giveUp(run, GroupGivenUp.FetchFailed(what))
          retire(run)
        case e: ExceptionFailure if Dispatcher.Final.contains(e.className) =>
          abort(run, s"$attempt failed for good: ${e.description}", e.exception)
        case _ if run.group.isDefined =>
          val counted = Set(attempt.work.partitionId).filter(_ => reason.countTowardsTaskFailures)
          giveUp(run, GroupGivenUp.Failed(what, counted))
        case _ =>
          val count =
            if (!run.isZombie && reason.countTowardsTaskFailures) run.fail(attempt, what) else 0
          if (count >= stock.maxTaskFailures) {
            abort(
              run,
              s"Task $index in stage ${run.key} failed $count times, most recent failure: $what\n" +
                "Driver stacktrace:",
              reason match {
                case e: ExceptionFailure => e.exception
                case _                   => None
              }
            )
          } else {
            tryAgain(attempt)
          }
      }
      settle(run)
    }

  private def tryAgain(attempt: Attempt): Unit = {
    attempt.run.again(attempt.index)
    send(Seq(attempt.run))
  }

  private def end(attempt: Attempt, state: TaskState, agoMs: Long): Unit = {
    val at = System.currentTimeMillis() - agoMs
    attempt.info.markFinished(state, math.max(at, attempt.info.launchTime))
    busy.add(attempt.info.duration)
    forget(attempt)
  }

  private def wantsSlot(attempt: Attempt): Unit = if (!attempt.wantsSlot) {
    attempt.wantsSlot = true
    attempt.agent.wanting += 1
  }

  private def forget(attempt: Attempt): Unit = {
    attempts.remove(attempt.work.taskId).foreach { sent =>
      placements.left(sent.agent)
      if (sent.agent.load == 0) {
        busyExecutors.ends(sent.agent.executorId)
      }
      if (sent.wantsSlot) {
        sent.agent.wanting -= 1
      }
    }
    attempt.run.forget(attempt)
    attempt.leaders.foreach(_.followers -= attempt)
    for (follower <- attempt.followers) {
      follower.leaders -= attempt
      if (follower.run.parents.isEmpty && follower.leaders.isEmpty) {
        wantsSlot(follower)
      }
    }
  }

  private def abort(run: StageRun, reason: String, cause: Option[Throwable]): Unit =
    if (!run.isZombie) {
      dag.taskSetFailed(run.taskSet, reason, cause)
      retire(run)
    }

  private def kill(attempt: Attempt, interruptThread: Boolean, reason: String): Unit =
    toAgent(attempt.agent, Kill(Vector(attempt.work.taskId), interruptThread, reason))

  /** No task of it is begun any more. */
  private def retire(run: StageRun): Unit = if (!run.isZombie) {
    run.isZombie = true
    run.pending.clear()
    run.slow.clear()
    run.running.valuesIterator
      .filter(_.info == null)
      .map(_.agent)
      .toVector
      .distinct
      .foreach(toAgent(_, Withdraw(run.key)))
    run.parents.foreach(_.children -= run)
    run.parents.clear()
    cached.remove(run)
    settle(run)
  }

  private def toAgent(agent: AgentHandle, message: => Serializable): Unit =
    agent.outbox.send(message)

  /** Tells the DAGScheduler, as soon as it has been told everything of the parents. */
  private def tell(run: StageRun)(event: => Unit): Unit = synchronized {
    if (run.parents.isEmpty) event else run.heldBack += (() => event)
  }

  private def tellEnded(
      attempt: Attempt,
      reason: TaskEndReason,
      result: Any,
      updates: Seq[AccumulatorV2[_, _]],
      peaks: Array[Long]
  ): Unit = {
    val task = attempt.run.taskSet.tasks(attempt.index)
    tell(attempt.run)(dag.taskEnded(task, reason, result, updates, peaks, attempt.info))
  }

  /** Tells what was held back, lets those go on who wait for it, and forgets what has ended. */
  private def settle(run: StageRun): Unit = if (run.parents.isEmpty) {
    run.heldBack.foreach(_())
    run.heldBack.clear()
    if (run.isComplete || run.isZombie) {
      val children = run.children.toVector
      run.children.clear()
      children.foreach { child =>
        child.parents -= run
        if (child.parents.isEmpty) {
          child.running.valuesIterator.filter(_.leaders.isEmpty).foreach(wantsSlot)
          settle(child)
          send(Seq(child))
        }
      }
      val followers = run.followers.toVector
      run.followers.clear()
      send(followers)
    }
    if (run.isDone) {
      cached.remove(run)
      // Or else all are kept that it follows, and those that these follow.
      run.followNone()
      for ((agent, unused) <- runs.remove(run))
        agent.outbox.sendLater(Forget(unused), withinMs = Dispatcher.ForgetMs)
      run.members.foreach(_.outbox.sendLater(Disband(run.key)))
      run.members = Set.empty
    }
  }
}

private[drizzle] object Dispatcher {
  val EndpointName = "drizzle-dispatcher"

  private val RemindMs = 1000L

  /** An executor that has not answered for so long is warned of, in milliseconds. */
  private val UnreachedMs = 10000L

  /** For so long may what executors need not keep wait for the next message to them, in milliseconds. */
  private val ForgetMs = 1000L

  /** A task that waits shorter, in milliseconds, is not moved. Longer than small tasks wait for each other, and
    * shorter than what queries notice: tasks of 50 ms that are not shared well cost them a tenth of their time.
    */
  private val MovableMs = 20L

  /** When tasks end, so many times as long as it takes to look for idle slots passes until it is looked again. */
  private val RestFactor = 50

  /** Where what names no pool goes; Spark's own name of it is private. */
  private val DefaultPool = "default"

  private val Superseded =
    TaskKilled("Finish but did not commit due to another attempt succeeded")

  private val TooLarge = TaskKilled("Tasks result size has exceeded maxResultSize")

  /** Failures that another attempt would not mend; see Spark's TaskSetManager. */
  private val Final = Set(
    classOf[java.io.NotSerializableException].getName,
    classOf[TaskOutputFileAlreadyExistException].getName
  )
}
