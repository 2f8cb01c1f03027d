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
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.codahale.metrics.Gauge
import org.apache.spark.{MapOutputTrackerWorker, SparkConf, SparkEnv}
import org.apache.spark.{TaskContext, TaskState}
import org.apache.spark.TaskState.TaskState
import org.apache.spark.api.plugin.PluginContext
import org.apache.spark.executor.{CoarseGrainedExecutorBackend, Executor, ExecutorBackend}
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.{EXECUTOR_CORES, TASK_MAX_DIRECT_RESULT_SIZE}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.rpc.{RpcAddress, RpcCallContext, RpcEnv}
import org.apache.spark.rpc.ThreadSafeRpcEndpoint
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.scheduler.drizzle.iterate.{GroupServices, IterationGroups}
import org.apache.spark.storage.BlockManagerId
import org.apache.spark.util.{RpcUtils, ThreadUtils, Utils}

/** An executor's table of tasks that were sent ahead. A task waits in it until all outputs that it
  * reads have been announced and there is a slot; then Spark's own executor runs it. Where its
  * output lies is announced to the agents that wait for it, before the driver knows of it.
  *
  * Pre-scheduling: Venkataraman, Panda, Ousterhout, Armbrust, Ghodsi, Franklin, Recht and Stoica,
  * "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section 3.2.
  *
  * Safe for use by several threads.
  */
private[drizzle] final class DrizzleAgent(context: PluginContext) extends Logging {
  private val env = SparkEnv.get
  private val conf = context.conf()
  private val courier =
    new Courier("drizzle-agent", Transport.of(conf, s"agent ${context.executorID()}"))

  /** Its threads do not wait for other agents that may be gone. */
  private val toDriver =
    new Courier("drizzle-driver", Transport.of(conf, s"driver of ${context.executorID()}"))
  private val host =
    Option(env.blockManager.blockManagerId).map(_.host).getOrElse(Utils.localHostName())

  // Executors' own environment does not listen.
  private val rpcEnv =
    RpcEnv.create(
      DrizzleAgent.Name,
      host,
      conf.get(DrizzleKeys.AgentPort),
      conf,
      env.securityManager
    )
  private lazy val driverRef = RpcUtils.makeDriverRef(Dispatcher.EndpointName, conf, env.rpcEnv)
  private val driver = toDriver.outbox(() => driverRef)
  private val agents = new ConcurrentHashMap[RpcAddress, Outbox]

  private val transfers = LossAwareTransfers.install(env.blockManager)

  /** In bytes. What Spark sends to the driver in a message, and not in blocks. */
  private val maxAnnounced = conf.get(TASK_MAX_DIRECT_RESULT_SIZE)

  /** What a task that Spark has sent itself holds, in that task's thread. */
  private val ofStock = new ThreadLocal[StockClaim]

  /** Outputs for the tasks that run; read by their threads. */
  private val pinned = new ConcurrentHashMap[Long, Map[Int, Array[MapStatus]]]
  private val running = new ConcurrentHashMap[Long, AgentTask]

  // All below is guarded by this.
  private val waiting = mutable.LinkedHashMap.empty[Long, AgentTask]
  private val outputs = mutable.HashMap.empty[Int, Outputs]

  /** The shuffles that are written here and that others await. */
  private val written = mutable.HashMap.empty[Int, Written]

  /** Executors whose map outputs are lost. */
  private val lost = new RecentSet[String]

  /** Tasks that wait until others have ended, which cache what they read, by those. */
  private val following = mutable.HashMap.empty[Long, Vector[AgentTask]]

  /** How many tasks are here, waiting, ready or running, of each job and of each stage. */
  private val ofJob = new Counts[Int]
  private val ofStage = new Counts[StageKey]

  /** Map tasks that have ended while others of their stage had not. */
  private val unannounced = mutable.HashMap.empty[StageKey, Vector[AgentTask]]
  private val arrived = new Arrivals

  /** Tasks whose inputs the driver knew, and that were told by it to begin. */
  private var reminded = 0L
  private val withdrawn = new RecentSet[StageKey]
  private val forgotten = new RecentSet[Int]

  /** As many as the executor was given cores; not known before tasks come. */
  private lazy val cores = DrizzleAgent.cores(conf)
  private lazy val slots = new Slots(cores)

  /** Tasks that Spark has sent, and that have not asked for slots, by when they came. */
  private val coming = mutable.HashMap.empty[Long, Long]

  /** What keeps slots for tasks that Spark is about to send. */
  private val kept = mutable.LinkedHashSet.empty[StockClaim]
  private val ready = new ReadyTasks(cores, () => System.nanoTime())

  /** The groups of iterations whose tasks are here. */
  val groups: IterationGroups = new IterationGroups(
    rpcEnv.address,
    new GroupServices {
      override def send(peer: RpcAddress, updates: Updates): Unit =
        outboxOf(peer).send(updates, () => groups.isOpen(updates.group))

      override def pause(task: AgentTask)(isWaiting: => Boolean): Unit =
        DrizzleAgent.this.pause(task)(isWaiting)

      override def resume(tasks: Vector[AgentTask]): Unit = DrizzleAgent.this.resume(tasks)
    },
    running.get(_)
  )

  /** Gives up slots that were kept for nothing. */
  private val keeper = ThreadUtils.newDaemonSingleThreadScheduledExecutor("drizzle-slots")

  /** For the thread that messages come in. */
  private val skeletons = new Skeletons.OfExecutor

  /** When the last task has ended, for Spark: an executor that is decommissioned stays until what was written by
    * then has been moved.
    */
  private lazy val lastTaskEnd = DrizzleAgent.lastTaskEnd

  /** What Spark's executor tells about tasks that came from here. */
  private val reports = new ExecutorBackend {
    override def statusUpdate(taskId: Long, state: TaskState, data: ByteBuffer): Unit =
      if (TaskState.isFinished(state)) {
        lastTaskEnd.foreach(_.set(System.nanoTime()))
        ended(taskId, state, JavaUtils.bufferToArray(data.duplicate()))
      }
  }

  /** Has the driver send tasks, as soon as they can be run. */
  def start(): Unit = {
    env.mapOutputTracker match {
      case tracker: MapOutputTrackerWorker =>
        PinnedOutputs.install(
          tracker,
          (taskId, shuffleId) => Option(pinned.get(taskId)).flatMap(_.get(shuffleId)),
          shuffleId => pinned.values.iterator.asScala.flatMap(_.get(shuffleId))
        )
      case other => throw new IllegalStateException(s"No executor has a ${other.getClass}")
    }
    registerMetrics()
    // Plug-ins are made where the classes of the application are found.
    TaskSerializers.install(env, Thread.currentThread.getContextClassLoader, task)
    rpcEnv.setupEndpoint(
      DrizzleAgent.Name,
      new ThreadSafeRpcEndpoint {
        override val rpcEnv: RpcEnv = DrizzleAgent.this.rpcEnv

        override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
          case bytes: Array[Byte] =>
            val messages =
              try Some(MessageCodec.read[ToAgent](bytes, skeletons))
              catch {
                case unknown: UnknownSkeleton =>
                  logInfo(s"Messages are asked for again: ${unknown.getMessage}")
                  None
              }
            messages.foreach(toCome)
            messages.toVector.flatten.foreach(m => Utils.tryLogNonFatalError(handle(m)))
            call.reply(messages.isDefined)
        }
      }
    )
    registration.start()
  }

  private def registerMetrics(): Unit = {
    val metrics = context.metricRegistry()
    def gauge(name: String)(value: => Long): Unit =
      metrics.register(name, (() => value): Gauge[Long])
    gauge("tasks.waiting")(synchronized(waiting.size.toLong))
    gauge("tasks.ready")(synchronized(ready.sentAhead.size.toLong))
    gauge("tasks.running")(running.size.toLong)
    gauge("tasks.reminded")(synchronized(reminded))
    gauge("stages.alike")(StageTemplates.stagesFound.sum)
    gauge("partitions.alike")(StageTemplates.partitionsFound.sum)
    gauge("fetches.open")(transfers.fold(0L)(_.openCount.toLong))
    gauge("fetches.ended")(transfers.fold(0L)(_.endedCount))
    // The shuffle manager may be made after the plug-ins.
    def small = DrizzleShuffleManager.outputs
    gauge("mapOutputs.own.bytes")(small.fold(0L)(_.ownBytes))
    gauge("mapOutputs.announced.bytes")(small.fold(0L)(_.announcedBytes))
  }

  /** Set before tasks come. */
  @volatile private var threads: TaskThreads = _

  /** Tells the driver that tasks may come, when there is an executor to run them: that is made after its
    * plug-ins, and Spark tells nobody of it.
    */
  private lazy val registration = {
    val waiting: Runnable = () =>
      try {
        while (executor == null) Thread.sleep(DrizzleAgent.ExecutorMs)
        threads = TaskThreads.install(executor, comes)
        driver.send(Register(context.executorID(), host, rpcEnv.address))
      } catch { case _: InterruptedException => logDebug("Ended before there was an executor") }
    val thread = new Thread(waiting, "drizzle-agent-registration")
    thread.setDaemon(true)
    thread
  }

  def stop(): Unit = {
    registration.interrupt()
    keeper.shutdownNow()
    courier.close()
    toDriver.close()
    rpcEnv.shutdown()
  }

  /** A task that was handed to the executor. */
  private def task(taskId: Long): AgentTask = {
    val found = running.get(taskId)
    require(found != null, s"Task $taskId is not one of those that were sent ahead")
    found
  }

  /** A task begins in this thread. If Spark has sent it, it waits here for a slot, because Spark does
    * not know which are taken. The time counts as the task's.
    */
  def taskBegins(): Unit = {
    val task = TaskContext.get()
    if (!running.containsKey(task.taskAttemptId())) {
      val claim = StockClaim.of(task)
      ofStock.set(claim)
      val begun = synchronized {
        ready.add(claim)
        coming.remove(claim.taskId)
        kept.headOption.foreach(giveUp)
        takeReady()
      }
      begun.foreach(begin)
      awaitSlot(claim, task)
    }
  }

  private def awaitSlot(claim: StockClaim, task: TaskContext): Unit = synchronized {
    try
      while (!claim.hasSlot && !task.isInterrupted())
        // A task that is killed may not be interrupted.
        wait(DrizzleAgent.KilledMs)
    catch {
      // The plug-ins' container would hide it from the task.
      case _: InterruptedException => Thread.currentThread().interrupt()
    } finally
      if (!claim.hasSlot) {
        // It ends, and that takes no time.
        slots.takeAnyway(claim.cpus)
        hasSlot(claim)
      }
  }

  /** The task of this thread has ended. */
  def taskEnded(): Unit = Option(ofStock.get).foreach { claim =>
    ofStock.remove()
    val (begun, keeps) = synchronized(endedForNext(claim))
    begun.foreach(begin)
    keeps.foreach { next =>
      keeper.schedule(givingUp(next, inAnyCase = false), claim.mostKeptNs, NANOSECONDS)
    }
  }

  /** Spark sends the next task of a stage when it has heard that one has ended. If that is to get the slot, and not
    * others that are here, the slot is kept for a moment, or whatever Spark sends itself would come second only.
    *
    * @return what begins, and what keeps the slot
    */
  private def endedForNext(claim: StockClaim): (Vector[AgentTask], Option[StockClaim]) = {
    val next = if (ready.nonEmpty) Some(claim.next) else None
    // Before the claim is gone, and with it what its pool is to get.
    next.foreach(ready.add)
    release(claim)
    val begun = takeReady()
    val (keeps, comesLater) = next.partition(_.hasSlot)
    comesLater.foreach(ready.remove)
    keeps.foreach(_.isExpected = isMoreComing)
    kept ++= keeps
    (begun, keeps.headOption)
  }

  /** The executor has been handed a task. If Spark has sent it, it asks for a slot as soon as it has been read. */
  private def comes(taskId: Long): Unit = if (!running.containsKey(taskId)) {
    synchronized {
      forgetFailed()
      coming(taskId) = System.nanoTime()
      kept.find(!_.isExpected).foreach(_.isExpected = true)
    }
  }

  /** Whether more are coming than slots are kept for. */
  private def isMoreComing: Boolean = {
    forgetFailed()
    coming.size > kept.count(_.isExpected)
  }

  /** Those that have not asked for slots have failed when they were read. */
  private def forgetFailed(): Unit = {
    val sinceNs = System.nanoTime() - MILLISECONDS.toNanos(DrizzleAgent.MostReadMs)
    coming.filterInPlace((_, cameNs) => cameNs - sinceNs > 0)
  }

  /** @param inAnyCase also if a task is expected: it may have failed when it was read */
  private def givingUp(claim: StockClaim, inAnyCase: Boolean): Runnable = () => {
    val (begun, isExpected) = synchronized {
      val isExpected = kept.contains(claim) && claim.isExpected && !inAnyCase
      if (kept.contains(claim) && !isExpected) {
        giveUp(claim)
      }
      (takeReady(), isExpected)
    }
    begun.foreach(begin)
    if (isExpected) {
      keeper.schedule(givingUp(claim, inAnyCase = true), DrizzleAgent.MostReadMs, MILLISECONDS)
    }
  }

  private def giveUp(claim: StockClaim): Unit = {
    kept -= claim
    release(claim)
  }

  private def release(claim: Claim): Unit = {
    slots.release(claim.cpus)
    ready.ended(claim)
  }

  /** Leaves this thread's slot to other tasks until its task is resumed. The task is there to stay, as a thread:
    * what it has computed so far is on its stack. When it is resumed, it waits for a slot like others.
    *
    * @param isWaiting asked without the slot: whether it will be resumed, or else is at once
    */
  private def pause(task: AgentTask)(isWaiting: => Boolean): Unit = {
    val begun = synchronized {
      task.isPaused = true
      release(task)
      takeReady()
    }
    begun.foreach(begin)
    if (!isWaiting) {
      resume(Vector(task))
    }
    val context = TaskContext.get()
    try
      // A task that is killed may not be interrupted.
      while (synchronized(task.isPaused) && !context.isInterrupted())
        task.resumed.tryAcquire(DrizzleAgent.KilledMs, MILLISECONDS)
    finally
      synchronized {
        if (task.isPaused) {
          // It ends, and that takes no time.
          slots.takeAnyway(task.cpus)
          ready.remove(task)
          hasSlot(task)
        }
      }
    context.killTaskIfInterrupted()
  }

  private def resume(tasks: Vector[AgentTask]): Unit = {
    val begun = synchronized {
      tasks.filter(_.isPaused).foreach(ready.add)
      takeReady()
    }
    begun.foreach(begin)
  }

  /** A task that was paused is no longer. */
  private def hasSlot(task: AgentTask): Unit = {
    ready.begins(task)
    task.isPaused = false
    task.resumed.release()
  }

  private def hasSlot(claim: StockClaim): Unit = {
    ready.begins(claim)
    claim.begins()
    notifyAll()
  }

  /** If these are sent again, that is all of them together. */
  private def toCome(messages: Vector[ToAgent]): Unit = {
    val tasks = messages.collect { case Launch(stages) => stages.map(_.tasks.length).sum }.sum
    if (tasks > 0) {
      synchronized(arrived.atOnce(tasks))
    }
  }

  private def handle(message: ToAgent): Unit = message match {
    case gone: ExecutorGone =>
      transfers.foreach(_.executorLost(gone.executorId))
      synchronized {
        gone.address.foreach { address =>
          agents.remove(address)
          written.valuesIterator.foreach(_.consumers -= address)
        }
        if (gone.areOutputsLost && lost.add(gone.executorId)) {
          lose(gone.executorId)
        }
      }
    case toGroups: ToGroups => groups.handle(toGroups)
    case toTasks: ToTasks   => handle(toTasks)
  }

  /** Tasks that were about to read what is lost wait again. */
  private def lose(executorId: String): Unit = {
    val couldBegin =
      ready.sentAhead.filter(task => !task.isPaused && task.isComplete(outputs)).toVector
    outputs.valuesIterator.foreach(_.lose(executorId))
    couldBegin.filterNot(_.isComplete(outputs)).foreach { task =>
      ready.remove(task)
      waiting(task.work.taskId) = task
    }
  }

  private def handle(message: ToTasks): Unit = {
    val begun = synchronized {
      message match {
        case Launch(stages) => stages.foreach(add)
        case Withdraw(stage) =>
          withdrawn.add(stage)
          drop(_.stage.key == stage)
        case Recall(taskIds) => drop(taskIds)
        case Proceed(stage) =>
          val tasks = waiting.valuesIterator.filter(_.stage.key == stage).toVector
          tasks.foreach(_.asksForInputs = true)
          reminded += tasks.count(_.isComplete(outputs))
          toReady(tasks)
        case Kill(taskIds, now, why) =>
          drop(taskIds)
          for (taskId <- taskIds; task <- Option(running.get(taskId))) {
            executor.killTask(taskId, now, why)
            // If it is paused, it sees to that now.
            task.resumed.release()
          }
        case Announcements(all) => all.foreach(announced)
        case Consumers(shuffleId, agents) =>
          written.get(shuffleId).foreach { shuffle =>
            val others = agents.filter(shuffle.consumers.add)
            announce(shuffle, shuffle.announced, others)
          }
        case Forget(shuffles) =>
          shuffles.foreach { id =>
            forgotten.add(id)
            written.remove(id)
            for (known <- outputs.remove(id); small <- DrizzleShuffleManager.outputs)
              known.small.foreach(small.removeAnnounced)
          }
      }
      takeReady()
    }
    begun.foreach(begin)
  }

  private def add(stage: StageWork): Unit = {
    val news = stage.tasks.filter(work => arrived.add(work.taskId))
    if (withdrawn.contains(stage.key)) {
      news.foreach(work => arrived.left(work.taskId))
      driver.send(Dropped(news.map(_.taskId)))
    } else {
      if (stage.isGroup) {
        groups.open(stage)
      }
      for (id <- stage.shuffleId if stage.consumers.nonEmpty && !forgotten.contains(id))
        written
          .getOrElseUpdate(id, new Written(id, stage.numPartitions, stage.isTreeLevel))
          .consumers ++= stage.consumers
      for (work <- news) {
        val task = new AgentTask(stage, work)
        ofJob.add(stage.jobId)
        ofStage.add(stage.key)
        task.after = work.after.filter(arrived.isHere).toSet
        task.after.foreach(id => following(id) = following.getOrElse(id, Vector.empty) :+ task)
        if (task.isComplete(outputs)) ready.add(task) else waiting(work.taskId) = task
      }
    }
  }

  private def drop(which: AgentTask => Boolean): Unit = {
    val notBegun = (waiting.valuesIterator ++ ready.sentAhead).filterNot(_.isPaused)
    val dropped = notBegun.filter(which).toVector
    dropped.foreach(remove)
    if (dropped.nonEmpty) {
      driver.send(Dropped(dropped.map(_.work.taskId)))
    }
  }

  private def drop(taskIds: Vector[Long]): Unit = {
    val ids = taskIds.toSet
    drop(task => ids(task.work.taskId))
  }

  /** A task that has not begun. */
  private def remove(task: AgentTask): Unit = {
    waiting.remove(task.work.taskId)
    ready.remove(task)
    leave(task)
  }

  /** @return whether it was the last of its job that is here */
  private def leave(task: AgentTask): Boolean = {
    arrived.left(task.work.taskId)
    val followers = following.remove(task.work.taskId).getOrElse(Vector.empty)
    followers.foreach(_.after -= task.work.taskId)
    toReady(followers.filter(follower => waiting.contains(follower.work.taskId)))
    if (ofStage.remove(task.stage.key)) {
      announce(task.stage)
    }
    ofJob.remove(task.stage.jobId)
  }

  private def announced(output: Announce): Unit = if (!forgotten.contains(output.shuffleId)) {
    val statuses = Wire.read[Array[MapStatus]](output.statuses)
    for {
      small <- DrizzleShuffleManager.outputs.toSeq
      (i, content) <- output.outputs
      id = SmallOutputs.Id(output.shuffleId, statuses(i).mapId)
      if small.addAnnounced(id, content)
    } {
      outputsOf(output.shuffleId, output.numMaps).small += id
      // Those who read it find it here.
      statuses(i).updateLocation(env.blockManager.blockManagerId)
    }
    areKnown(output.shuffleId, output.numMaps, output.isTreeLevel, output.mapIndexes, statuses)
  }

  /** Where these outputs of a shuffle lie. */
  private def areKnown(
      shuffleId: Int,
      numMaps: Int,
      isTreeLevel: Boolean,
      mapIndexes: Array[Int],
      statuses: Array[MapStatus]
  ): Unit = if (!forgotten.contains(shuffleId)) {
    val known = outputsOf(shuffleId, numMaps)
    val wasComplete = known.isComplete
    for ((index, status) <- mapIndexes.zip(statuses) if !Outputs.isAt(status, lost.contains(_)))
      known.add(index, status)
    if (isTreeLevel || (known.isComplete && !wasComplete)) {
      toReady(waiting.valuesIterator.filter(_.awaits(shuffleId)).toVector)
    }
  }

  private def outputsOf(shuffleId: Int, numMaps: Int): Outputs =
    outputs.getOrElseUpdate(shuffleId, new Outputs(numMaps))

  /** Of these that wait, those go on that need to wait no longer. */
  private def toReady(tasks: Vector[AgentTask]): Unit =
    tasks.filter(_.isComplete(outputs)).foreach { task =>
      waiting.remove(task.work.taskId)
      ready.add(task)
    }

  /** Gives slots to as many as there are slots for.
    *
    * @return those of them that are to begin
    */
  private def takeReady(): Vector[AgentTask] = {
    val taken = Vector.newBuilder[AgentTask]
    // Who comes first depends on the time, so it is asked once.
    Iterator
      .continually(ready.headOption.filter(claim => slots.take(claim.cpus)))
      .takeWhile(_.nonEmpty)
      .flatten
      .foreach {
        case task: AgentTask   => if (task.isPaused) hasSlot(task) else taken += takeNew(task)
        case claim: StockClaim => hasSlot(claim)
      }
    taken.result()
  }

  private def takeNew(task: AgentTask): AgentTask = {
    ready.begins(task)
    running.put(task.work.taskId, task)
    pinned.put(task.work.taskId, task.inputs(outputs, env.blockManager.blockManagerId))
    task
  }

  private def begin(task: AgentTask): Unit = {
    val taskId = task.work.taskId
    task.begin()
    driver.sendLater(Begun(taskId, task.ranMs), () => running.containsKey(taskId))
    executor.launchTask(reports, task.description(context.executorID()))
  }

  private def ended(taskId: Long, state: TaskState, data: Array[Byte]): Unit = {
    val task = running.get(taskId)
    if (task != null) {
      val endNs = System.nanoTime()
      val ranMs = task.ranMs
      def report = Ended(taskId, state.id, ranMs, DrizzleAgent.msSince(endNs), data)
      val begun = synchronized {
        running.remove(taskId)
        pinned.remove(taskId)
        release(task)
        if (state == TaskState.FINISHED && task.output.isDefined) {
          unannounced(task.stage.key) = unannounced.getOrElse(task.stage.key, Vector.empty) :+ task
          if (task.stage.isTreeLevel) {
            announce(task.stage)
          }
        }
        val isLast = leave(task)
        // The driver can do nothing for the job before it hears of the last one, unless a task has failed.
        if (isLast || state != TaskState.FINISHED) driver.send(report) else driver.sendLater(report)
        takeReady()
      }
      // This thread is about to have nothing to do.
      begun.headOption.foreach(next => threads.follow(begin(next)))
      begun.drop(1).foreach(begin)
    }
  }

  /** Tells those who wait for a stage's outputs where those are that were computed here. They need all
    * of them, so nothing is said before the last has ended, but for levels of trees. If it takes much to say,
    * they learn it from the driver.
    */
  private def announce(stage: StageWork): Unit =
    for {
      ended <- unannounced.remove(stage.key)
      shuffle <- stage.shuffleId.flatMap(written.get)
    } {
      val outputs = ended.flatMap(task => task.output.map(task.work.partitionId -> _))
      shuffle.announced ++= outputs
      announce(shuffle, outputs, shuffle.consumers.toVector)
    }

  private def announce(
      shuffle: Written,
      outputs: Vector[(Int, MapStatus)],
      consumers: Vector[RpcAddress]
  ): Unit = if (outputs.nonEmpty) {
    val (here, others) = consumers.partition(_ == rpcEnv.address)
    if (here.nonEmpty) {
      val (indexes, statuses) = outputs.unzip
      areKnown(
        shuffle.id,
        shuffle.numMaps,
        shuffle.isTreeLevel,
        indexes.toArray,
        statuses.toArray
      )
    }
    // Made when the first is sent, and not while others wait for this agent.
    lazy val announcements = Announcements(
      DrizzleAgent.announcements(
        shuffle,
        outputs,
        maxAnnounced,
        DrizzleAgent.MaxCopied / others.length
      )
    )
    others.foreach { consumer =>
      outboxOf(consumer)
        .send(announcements, () => synchronized(!forgotten.contains(shuffle.id)))
    }
  }

  private def outboxOf(agent: RpcAddress): Outbox =
    agents.computeIfAbsent(
      agent,
      address => courier.outbox(() => rpcEnv.setupEndpointRef(address, DrizzleAgent.Name))
    )

  private def executor: Executor = DrizzleAgent.backend.executor
}

private[drizzle] object DrizzleAgent {
  val Name = "drizzle-agent"

  /** Bytes of a stage's small outputs that an executor sends to others, all of them together. */
  private val MaxCopied = 1L << 20

  /** No task has this id. */
  val NoTask: Long = -1L

  /** How often it is looked whether there is an executor, in milliseconds. */
  private val ExecutorMs = 2L

  /** How long it takes to see that a task was killed, in milliseconds. */
  private val KilledMs = 100L

  /** How long a task may take until it asks for a slot, in milliseconds. */
  private val MostReadMs = 1000L

  @volatile private var agent: DrizzleAgent = _

  def ofThisExecutor: DrizzleAgent = agent

  def start(context: PluginContext): DrizzleAgent = {
    agent = new DrizzleAgent(context)
    agent.start()
    agent
  }

  /** There is one by the time that tasks come, not before. */
  private def backend: CoarseGrainedExecutorBackend =
    SparkEnv.get.executorBackend match {
      case Some(backend: CoarseGrainedExecutorBackend) => backend
      case other => throw new IllegalStateException(s"This executor's backend is $other")
    }

  /** Empty in a Spark that looks at running tasks instead. */
  private[drizzle] def lastTaskEnd: Option[AtomicLong] =
    try {
      val field = Private.field(classOf[CoarseGrainedExecutorBackend], "lastTaskFinishTime")
      Some(field.get(backend).asInstanceOf[AtomicLong])
    } catch { case _: NoSuchFieldException => None }

  private def msSince(ns: Long): Long = NANOSECONDS.toMillis(System.nanoTime() - ns)

  /** Where the outputs of map tasks are, and those that are small, in one piece unless that is longer
    * than `most` bytes.
    *
    * @param mostCopied how many bytes small outputs may have together
    */
  private def announcements(
      shuffle: Written,
      ended: Vector[(Int, MapStatus)],
      most: Long,
      mostCopied: Long
  ): Vector[Announce] = {
    val found = for {
      ((_, status), i) <- ended.zipWithIndex
      outputs <- DrizzleShuffleManager.outputs
      output <- outputs.getOwn(SmallOutputs.Id(shuffle.id, status.mapId))
    } yield i -> output
    val small =
      if (found.map(_._2.length).sum <= mostCopied) found.toMap
      else Map.empty[Int, SmallOutput]
    def of(some: Vector[(Int, MapStatus)], outputs: Map[Int, SmallOutput]) = Announce(
      shuffle.id,
      shuffle.numMaps,
      shuffle.isTreeLevel,
      some.map(_._1).toArray,
      Wire.bytes(some.map(_._2).toArray),
      outputs
    )
    val whole = of(ended, small)
    if (whole.statuses.length <= most) {
      Vector(whole)
    } else {
      ended.map(one => of(Vector(one), Map.empty)).filter(_.statuses.length <= most)
    }
  }

  /** As many as the executor was given, which is in its command alone if it was not configured. */
  private def cores(conf: SparkConf): Int =
    SparkEnv.get.executorBackend
      .collect { case backend: CoarseGrainedExecutorBackend => backend }
      .flatMap { backend =>
        classOf[CoarseGrainedExecutorBackend].getDeclaredFields
          .find(_.getName.endsWith("cores"))
          .map { field =>
            field.setAccessible(true)
            field.getInt(backend)
          }
      }
      .getOrElse(conf.get(EXECUTOR_CORES))
}

/** An executor's slots. Guarded by the agent. */
private[drizzle] final class Slots(cores: Int) {
  private var used = 0

  /** @return whether they were free */
  def take(cpus: Int): Boolean = {
    val isFree = used + cpus <= cores
    if (isFree) {
      used += cpus
    }
    isFree
  }

  /** For a task that is here anyway, whether or not they are free. */
  def takeAnyway(cpus: Int): Unit = used += cpus

  def release(cpus: Int): Unit = used -= cpus
}

/** A shuffle that is written here, among others, and awaited. Guarded by the agent.
  *
  * @param numMaps of the whole shuffle
  * @param isTreeLevel whether some of its outputs are enough for some of those that wait
  */
private[drizzle] final class Written(val id: Int, val numMaps: Int, val isTreeLevel: Boolean) {

  /** The agents that wait for its outputs. */
  val consumers: mutable.Set[RpcAddress] = mutable.LinkedHashSet.empty

  /** What they have been told of, for those that come to wait for it later: the map tasks' indexes, and where
    * their outputs lie.
    */
  var announced: Vector[(Int, MapStatus)] = Vector.empty
}

/** Outputs of a shuffle, as far as they have been announced. */
private[drizzle] final class Outputs(numMaps: Int) {
  // Tasks read it without a lock, so what is there is never replaced in it.
  private var known = new Array[MapStatus](numMaps)
  private var missing = numMaps

  /** Announced by others for what was there already: if that is lost, they are what has replaced it. */
  private val others = mutable.HashMap.empty[Int, MapStatus]

  /** Those that were announced with their content. */
  val small: mutable.Set[SmallOutputs.Id] = mutable.HashSet.empty

  def isComplete: Boolean = missing == 0

  def add(mapIndex: Int, status: MapStatus): Unit =
    if (known(mapIndex) == null) {
      known(mapIndex) = status
      missing -= 1
    } else if (known(mapIndex).mapId != status.mapId) {
      others(mapIndex) = status
    }

  /** What lay on an executor is no longer there. */
  def lose(executorId: String): Unit = {
    others.filterInPlace((_, status) => !Outputs.isAt(status, _ == executorId))
    def isLost(status: MapStatus) = status != null && Outputs.isAt(status, _ == executorId)
    if (known.exists(isLost)) {
      known = known.zipWithIndex.map { case (status, index) =>
        if (isLost(status)) others.remove(index).orNull else status
      }
      missing = known.count(_ == null)
    }
  }

  /** Whether those are there that a task reads.
    *
    * @param tree see [[Awaited]]
    */
  def isThere(tree: Option[Int], partition: Int): Boolean = isComplete || tree.exists { width =>
    TreeShuffle.mapsOf(partition, width, numMaps).forall(known(_) != null)
  }

  /** What a task reads, if it is there. Where an output is not, there is nothing in it for the task.
    *
    * @param here any place where outputs may be
    */
  def of(tree: Option[Int], partition: Int, here: BlockManagerId): Option[Array[MapStatus]] =
    if (isComplete) {
      Some(known)
    } else if (isThere(tree, partition)) {
      tree.map { width =>
        val nothing = MapStatus(here, new Array[Long](width), DrizzleAgent.NoTask)
        known.map(status => if (status == null) nothing else status)
      }
    } else {
      None
    }
}

private[drizzle] object Outputs {

  /** Whether an output lies on one of these executors. */
  def isAt(status: MapStatus, isOne: String => Boolean): Boolean =
    Option(status.location).exists(at => isOne(at.executorId))
}

/** How often something is there. */
private[drizzle] final class Counts[A] {
  private val counts = mutable.HashMap.empty[A, Int]

  def add(entry: A): Unit = counts(entry) = counts.getOrElse(entry, 0) + 1

  /** @return whether it was the last */
  def remove(entry: A): Boolean =
    counts.updateWith(entry)(_.map(_ - 1).filter(_ > 0)).isEmpty
}

/** The tasks that an agent has been sent, by their ids, so that none begins twice that is sent again. */
private[drizzle] final class Arrivals {
  private val here = mutable.HashSet.empty[Long]
  private val gone = new RecentSet[Long]

  /** So many come together, and may come together again when they have left. */
  def atOnce(tasks: Int): Unit = gone.keep(Arrivals.Others + tasks)

  /** @return whether the task is new */
  def add(taskId: Long): Boolean = !gone.contains(taskId) && here.add(taskId)

  /** Whether a task has come, and neither ended nor been dropped. */
  def isHere(taskId: Long): Boolean = here.contains(taskId)

  /** The task has ended, or will not begin. */
  def left(taskId: Long): Unit = if (here.remove(taskId)) {
    gone.add(taskId)
  }
}

private object Arrivals {

  /** So many others may leave before tasks come again. */
  private val Others = 10000
}

/** Remembers what was added last. */
private[drizzle] final class RecentSet[A](private var most: Int = 10000) {
  private val entries = mutable.LinkedHashSet.empty[A]

  /** It remembers no less than so many. */
  def keep(count: Int): Unit = most = math.max(most, count)

  /** Whether it is new. */
  def add(entry: A): Boolean = entries.add(entry) && {
    if (entries.size > most) {
      entries -= entries.head
    }
    true
  }

  def contains(entry: A): Boolean = entries.contains(entry)
}

/** Remembers what was put or asked for last. For one thread. */
private[drizzle] final class RecentMap[K, V](most: Int) {
  // Those used last come last.
  private val entries = mutable.LinkedHashMap.empty[K, V]

  def get(key: K): Option[V] = {
    val known = entries.remove(key)
    known.foreach(entries(key) = _)
    known
  }

  def put(key: K, value: V): Unit = {
    entries.remove(key)
    if (entries.size == most) {
      entries -= entries.head._1
    }
    entries(key) = value
  }

  def values: Iterator[V] = entries.valuesIterator
}
