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
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.util.control.NonFatal

import com.codahale.metrics.Counter

import org.apache.spark.{HashPartitioner, JobArtifactSet, ShuffleDependency, SparkContext}
import org.apache.spark.{TaskContext, TaskState}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.CPUS_PER_TASK
import org.apache.spark.rdd.RDD
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.util.AccumulatorContext

/** Executors that come while short tasks run on others rehearse before they get any. A JVM that has just started
  * needs most of a second for its first small task, in which it loads Spark's classes and links their lambdas, and a
  * stage that waits for this task is as late as that. Meanwhile the other executors do what there is. What is
  * rehearsed is a small shuffle of Freshet's own, as tasks that only the executor and this object know of: they are in no
  * event and no metric of the driver's. Nothing of the application runs in it.
  *
  * Guarded by the dispatcher, but for what is said.
  *
  * @param mostMs how long an executor may rehearse, in milliseconds; 0 for no rehearsals
  * @param rehearsed counts executors that have, for as long as they had to or as they may
  * @param skeletons by which messages are written
  * @param tell sends a message
  * @param admit called when an executor is to get tasks
  * @param nanoTime the time
  */
private[drizzle] final class Rehearsals(
    sc: SparkContext,
    mostMs: Long,
    rehearsed: Counter,
    skeletons: Skeletons,
    tell: (AgentHandle, Serializable) => Unit,
    admit: AgentHandle => Unit,
    nanoTime: () => Long = () => System.nanoTime()
) extends Logging {
  import Rehearsals._

  private final class Rehearsal(val agent: AgentHandle) {
    val beganNs: Long = nanoTime()

    /** Those that were sent together, and are under way. */
    var repetitions: Range = 0 to 0
    var sentNs = 0L

    /** Its tasks would be slow, but not by much. */
    var isUsable = false
    val unfinished = mutable.HashSet.empty[Long]
  }

  private val cpus = sc.conf.get(CPUS_PER_TASK)
  private val byExecutor = mutable.LinkedHashMap.empty[String, Rehearsal]
  private val byTask = mutable.HashMap.empty[Long, Rehearsal]
  @volatile private var ended = 0L
  @volatile private var usualMs = 0.0

  /** When one of the other executors had a slot that nobody wanted. */
  private var sparedNs = 0L
  private var nextTaskId = FirstTaskId

  /** Takes some milliseconds, and ids of RDDs and of a shuffle; so it is made when it is needed first. */
  private lazy val play: Option[Play] =
    try Some(new Play(sc))
    catch {
      case NonFatal(e) =>
        logWarning("Executors that come late cannot rehearse", e)
        None
    }

  /** A task of the application has succeeded. */
  def taskEnded(durationMs: Long): Unit = {
    ended += 1
    usualMs += (durationMs - usualMs) / math.min(ended, Remembered)
  }

  /** Whether a first task would take much longer than tasks do, so that it is better not to have it at once. Prepares
    * what is needed for it. Not guarded: this takes a while.
    */
  def isWorthwhile(): Boolean =
    mostMs > 0 && ended >= Remembered && usualMs < ShortMs && play.isDefined

  def of(executorId: String): Option[AgentHandle] = byExecutor.get(executorId).map(_.agent)

  def all: Iterable[AgentHandle] = byExecutor.values.map(_.agent)

  def begin(agent: AgentHandle): Unit = {
    if (byExecutor.isEmpty) {
      sparedNs = nanoTime()
    }
    val rehearsal = new Rehearsal(agent)
    byExecutor(agent.executorId) = rehearsal
    repeat(rehearsal)
  }

  def lost(executorId: String): Unit = forget(executorId)

  private def forget(executorId: String): Unit =
    byExecutor.remove(executorId).foreach(byTask --= _.unfinished)

  /** A task that may be part of a rehearsal has ended. */
  def taskEnded(taskId: Long, state: TaskState.TaskState): Unit =
    byTask.remove(taskId).foreach { rehearsal =>
      rehearsal.unfinished -= taskId
      if (state != TaskState.FINISHED) {
        logWarning(s"Executor ${rehearsal.agent.executorId} could not rehearse: $state")
        end(rehearsal, isWhole = false)
      } else if (rehearsal.unfinished.isEmpty) {
        val eachMs = msSince(rehearsal.sentNs).toDouble / rehearsal.repetitions.size
        rehearsal.isUsable ||= eachMs <= UsableMs
        val isEnough = byExecutor.size > Few &&
          (rehearsal.isUsable || rehearsal.repetitions.last >= MostAmongMany)
        if (eachMs <= WarmMs || isEnough || isLate(rehearsal)) {
          end(rehearsal)
        } else {
          repeat(rehearsal)
        }
      }
    }

  /** Ends those that take too long; those whose executor is of use, if tasks have long been waiting for a slot on each
    * of the others; and all if there are no others.
    *
    * @param others those that get tasks
    */
  def checkTime(others: Iterable[AgentHandle]): Unit = {
    if (others.exists(other => other.slotsWanted <= other.slots(cpus))) {
      sparedNs = nanoTime()
    }
    val isMissed = msSince(sparedNs) >= BacklogMs
    byExecutor.values
      .filter(r => others.isEmpty || isLate(r) || isMissed && r.isUsable)
      .toVector
      .foreach(r => end(r, isWhole = isLate(r) || r.isUsable))
  }

  private def msSince(ns: Long): Long = TimeUnit.NANOSECONDS.toMillis(nanoTime() - ns)

  private def isLate(rehearsal: Rehearsal): Boolean = msSince(rehearsal.beganNs) >= mostMs

  private def end(rehearsal: Rehearsal, isWhole: Boolean = true): Unit = {
    val agent = rehearsal.agent
    forget(agent.executorId)
    if (isWhole) {
      rehearsed.inc()
    }
    logInfo(s"Executor ${agent.executorId} has rehearsed for ${msSince(rehearsal.beganNs)} ms")
    if (rehearsal.unfinished.nonEmpty) {
      for (repetition <- rehearsal.repetitions; stage <- Seq(MapStage, ResultStage))
        tell(agent, Withdraw(StageKey(stage, repetition)))
    }
    play.foreach(p => tell(agent, Forget(Vector(p.shuffleId))))
    agent.slowness.assume(Slowness.OfNewcomer)
    admit(agent)
  }

  /** As often again as so far, in one message, until that is often enough for a message to cost little. */
  private def repeat(rehearsal: Rehearsal): Unit = play.foreach { p =>
    val soFar = rehearsal.repetitions.last
    rehearsal.repetitions = soFar + 1 to soFar + math.min(math.max(1, soFar), MostTogether)
    rehearsal.sentNs = nanoTime()
    val agent = rehearsal.agent
    val artifacts = JobArtifactSet.getActiveOrDefault(sc)
    val stages = for {
      repetition <- rehearsal.repetitions.toVector
      (name, stage) <- Seq(
        MapName -> p.maps.copy(
          key = StageKey(MapStage, repetition),
          consumers = Vector(agent.address)
        ),
        ResultName -> p.results.copy(key = StageKey(ResultStage, repetition))
      )
    } yield {
      val work = stage.copy(artifacts = artifacts)
      val tasks = work.tasks.map { task =>
        nextTaskId += 1
        task.copy(taskId = nextTaskId)
      }
      rehearsal.unfinished ++= tasks.map(_.taskId)
      new StageBytes(work, tasks.head.partition, Some(skeletons -> name))
        .withTasks(tasks, agent.skeletons)
    }
    byTask ++= rehearsal.unfinished.map(_ -> rehearsal)
    tell(agent, SentLaunch(stages))
  }
}

private[drizzle] object Rehearsals {

  /** Above all ids that Spark gives. */
  private val FirstTaskId = 1L << 62
  private val ResultStage = Int.MaxValue
  private val MapStage = ResultStage - 1
  private val MapName = "rehearsed map"
  private val ResultName = "rehearsed result"

  /** What there is besides goes first. */
  private val Job = Int.MaxValue

  /** How many tasks tell how long tasks take. */
  private val Remembered = 100L

  /** To tasks that are longer, in milliseconds, it does not matter how long the first takes. */
  private val ShortMs = 200.0

  /** When repetitions take no longer on average, in milliseconds, the JVM has compiled most of what all tasks share.
    * Until then its compilers would slow down tasks, on all executors that share its cores.
    */
  private val WarmMs = 3.0

  /** When they take no longer, what is missing is noticed less than a backlog, or than the driver's effort for many. */
  private val UsableMs = 20.0
  private val MostTogether = 16

  /** If more executors rehearse at once, the driver has no more than this number of repetitions for each. */
  private val Few = 8
  private val MostAmongMany = 32

  /** If all slots of the others were wanted for so long, in milliseconds, they do not keep up. */
  private val BacklogMs = 500L
  private val Partitions = 2

  /** Of map outputs: before all others, so that executors forget none. */
  private val NoEpoch = -1L

  private def keyed(
      numbers: RDD[Int],
      keys: Broadcast[Array[String]]
  ): RDD[(String, Long)] =
    numbers.map(n => (keys.value(n % keys.value.length), n.toLong)).filter(_._2 >= 0)

  /** What most tasks do, once over: a broadcast is fetched, elements are mapped, combined, written, fetched,
    * merged and collected.
    */
  private final class Play(sc: SparkContext) {
    private val serializer = sc.env.closureSerializer.newInstance()
    private val broadcast = sc.broadcast(Array.tabulate(10)(n => s"key $n"))
    private val counted = keyed(sc.parallelize(0 until 100, Partitions), broadcast)
      .reduceByKey(new HashPartitioner(Partitions), _ + _)
    private val dependency =
      counted.dependencies.head.asInstanceOf[ShuffleDependency[String, Long, Long]]
    private val collect =
      (_: TaskContext, all: Iterator[(String, Long)]) => all.map { case (k, n) => (k, n) }.toArray

    def shuffleId: Int = dependency.shuffleId

    val maps: StageWork =
      stage(dependency.rdd, (dependency.rdd, dependency)).copy(shuffleId = Some(shuffleId))

    val results: StageWork =
      stage(counted, (counted, collect)).copy(awaits = Vector(Awaited(shuffleId, None)))

    private def stage(rdd: RDD[_], binary: AnyRef): StageWork = StageWork(
      StageKey(ResultStage, 0),
      Job,
      StageBinary.Sent(JavaUtils.bufferToArray(serializer.serialize(binary))),
      Partitions,
      JobArtifactSet.emptyJobArtifactSet,
      new Properties,
      PoolShare.Whole,
      TaskMetrics.empty.nameToAccums.keys.map(_ => AccumulatorContext.newId()).toArray,
      sc.applicationId,
      sc.applicationAttemptId,
      None,
      sc.conf.get(CPUS_PER_TASK),
      Vector.empty,
      isTreeLevel = false,
      Vector.empty,
      rdd.partitions.toVector.map { partition =>
        TaskWork(
          -1L,
          partition.index,
          0,
          partition.index,
          JavaUtils.bufferToArray(serializer.serialize(partition)),
          partition.index,
          NoEpoch
        )
      }
    )
  }
}
