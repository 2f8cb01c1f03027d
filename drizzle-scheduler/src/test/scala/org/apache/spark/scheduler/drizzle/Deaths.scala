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

import java.nio.file.{Files, NoSuchFileException, Path}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardOpenOption.{APPEND, CREATE}
import java.util.Properties
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, SparkEnv, TaskContext}

/** How far a job has come on an executor. */
private[drizzle] object Moment extends Enumeration {

  /** Its tasks were sent there, and none of them has begun. */
  val SkeletonSent: Moment.Value = Value("skeleton sent")
  val MapRunning: Moment.Value = Value("map running")

  /** All of a stage's map tasks there have ended, so the executor tells others of their outputs. */
  val MapAnnounced: Moment.Value = Value("map announced")

  /** It has all its inputs, and no slot. */
  val ReduceQueued: Moment.Value = Value("reduce queued")
  val ReduceRunning: Moment.Value = Value("reduce running")

  /** A task with results has ended; the driver may not know it yet. */
  val ReportSent: Moment.Value = Value("report sent")
}

/** An executor is to end: the first one in which a job comes to a moment.
  *
  * @param number no other death has it
  * @param passes how often that is passed over in each executor
  * @param jobs of so many jobs, it must have tasks then
  * @param afterMs how long it lives from there on, in milliseconds
  */
private[drizzle] final case class Death(
    number: Long,
    at: Moment.Value,
    passes: Int,
    jobs: Int,
    afterMs: Int
)

/** An executor has ended.
  *
  * @param atMs when, in milliseconds
  * @param moments how far jobs had come there
  */
private[drizzle] final case class Died(
    executorId: String,
    atMs: Long,
    moments: Map[String, Set[Moment.Value]]
)

/** Ends executors from within, where their tasks come to a certain point, and says how far all jobs had come there.
  * From without, nobody knows what they are at.
  *
  * @param directory for what this has to tell, and is told
  */
private[drizzle] final class Deaths(directory: Path) extends Serializable {
  import Deaths._

  private val place = directory.toString

  /** Two at a time, at most, of which one has an even number. */
  def order(death: Death): Unit = write(orderOf(death), death)

  /** It need not be any more.
    *
    * @return what has died; empty if nothing has
    */
  def settle(death: Death): Option[Died] =
    if (Files.deleteIfExists(file(orderOf(death)))) {
      None
    } else {
      val told = file(s"died-${death.number}")
      TestCluster.await(Files.exists(told))
      Some(Wire.read[Died](Files.readAllBytes(told)))
    }

  /** Tasks shall wait when they have begun. */
  def hold(): Unit = Files.createFile(file("hold"))

  def release(): Unit = Files.delete(file("hold"))

  /** All tasks that have begun, by their ids, as often as they have. */
  def begun: Seq[Long] = {
    val files = Files.list(Path.of(place))
    try
      files.iterator.asScala
        .filter(_.getFileName.toString.startsWith("begun-"))
        .flatMap(Files.readAllLines(_).asScala)
        .map(_.toLong)
        .toVector
    finally files.close()
  }

  /** For a task: its executor may end when it begins, half way, or at its end.
    *
    * @param restMs how long it does nothing, in milliseconds; others of its stage do so for longer, or shorter
    */
  def watch[A](records: Iterator[A], restMs: Int): Iterator[A] = {
    val taskId = TaskContext.get().taskAttemptId()
    val begun = file(s"begun-${SparkEnv.get.executorId}")
    Files.writeString(begun, s"$taskId\n", CREATE, APPEND)
    Here.begins(taskId)
    Gate.await(file("hold").toString)
    look()
    if (restMs > 0) {
      Thread.sleep(restMs * (1L + TaskContext.getPartitionId() % 3))
      look()
    }
    new Iterator[A] {
      private var hasEnded = false

      override def hasNext: Boolean = {
        val isMore = records.hasNext
        if (!isMore && !hasEnded) {
          hasEnded = true
          look()
          Here.ends(taskId)
        }
        isMore
      }

      override def next(): A = records.next()
    }
  }

  private def look(): Unit =
    for (order <- Orders.map(file) if Files.exists(order))
      try {
        val death = Wire.read[Death](Files.readAllBytes(order))
        Here.still {
          // Another executor may come first.
          if (!Here.isDoomed && Here.isDue(death) && Files.deleteIfExists(order)) {
            Here.isDoomed = true
            if (death.afterMs == 0) die(death) else later(death)
          }
        }
      } catch { case _: NoSuchFileException => () }

  private def later(death: Death): Unit = {
    val waiting: Runnable = () => {
      Thread.sleep(death.afterMs.toLong)
      die(death)
    }
    val thread = new Thread(waiting, "death")
    thread.setDaemon(true)
    thread.start()
  }

  private def die(death: Death): Unit = Here.still {
    val died = Died(SparkEnv.get.executorId, System.currentTimeMillis(), Here.moments())
    write(s"died-${death.number}", died)
    Runtime.getRuntime.halt(1)
  }

  private def orderOf(death: Death): String = Orders((death.number % Orders.size).toInt)

  private def write(name: String, what: Serializable): Unit = {
    val written = Files.write(Files.createTempFile(Path.of(place), "new-", null), Wire.bytes(what))
    Files.move(written, file(name), ATOMIC_MOVE)
  }

  private def file(name: String): Path = Path.of(place, name)
}

private[drizzle] object Deaths {

  /** The local property that tells jobs apart. */
  val Label = "freshet.test.job"

  private val Orders = Vector("order-0", "order-1")

  /** Of a batch, its time. */
  private val BatchTime = "spark.streaming.internal.batchTime"

  /** What the jobs of this thread are called. */
  def label(sc: SparkContext, job: String): Unit =
    sc.setLocalProperty(Label, job)

  def labelOf(properties: Properties): String =
    properties.getProperty(Label, properties.getProperty(BatchTime, "?"))
}

/** What an executor has. */
private object Here {

  /** A task that has begun, and has not been forgotten with its job. */
  private final class Begun(val job: String, val stage: StageWork) {
    @volatile var endNs: Option[Long] = None
  }

  private val begun = new ConcurrentHashMap[Long, Begun]
  private val jobsBegun = ConcurrentHashMap.newKeySet[String]
  private val passed = mutable.HashMap.empty[Long, Int]

  /** This executor is to end, and will tell of that one death alone. To be used while all is still. */
  var isDoomed = false

  private lazy val agent = DrizzleAgent.ofThisExecutor
  private lazy val waiting = part[mutable.Map[Long, AgentTask]]("waiting")
  private lazy val ready = part[ReadyTasks]("ready")
  private lazy val running = part[ConcurrentHashMap[Long, AgentTask]]("running")

  private def part[A](name: String): A =
    Private.field(classOf[DrizzleAgent], name).get(agent).asInstanceOf[A]

  /** Meanwhile, no task begins or ends, and no message is taken. */
  def still(body: => Unit): Unit = agent.synchronized(body)

  /** Not of a task that Spark has sent itself. */
  def begins(taskId: Long): Unit = Option(running.get(taskId)).foreach { task =>
    begun.put(taskId, new Begun(jobOf(task), task.stage))
    jobsBegun.add(jobOf(task))
  }

  def ends(taskId: Long): Unit =
    Option(begun.get(taskId)).foreach(_.endNs = Some(System.nanoTime()))

  /** To be called while all is still. */
  def isDue(death: Death): Boolean = {
    def jobs = here.map(jobOf).distinct.size
    moments(withinMs = RecentMs).valuesIterator.exists(_(death.at)) && jobs >= death.jobs && {
      val passes = passed.getOrElse(death.number, 0)
      passed(death.number) = passes + 1
      passes >= death.passes
    }
  }

  /** To be called while all is still.
    *
    * @param withinMs for how long it matters what has ended, in milliseconds
    */
  def moments(withinMs: Long = Long.MaxValue): Map[String, Set[Moment.Value]] = {
    val nowNs = System.nanoTime()
    val runs = running.values.asScala.toVector
    val busy = runs.map(jobOf).toSet
    val sent = here.map(jobOf).filterNot(job => busy(job) || jobsBegun.contains(job))
    val ended = begun.asScala.toVector.collect {
      case (taskId, task)
          if !running.containsKey(taskId) &&
            task.endNs.exists(ns => TimeUnit.NANOSECONDS.toMillis(nowNs - ns) < withinMs) =>
        task
    }
    val stages = here.map(_.stage.key).toSet
    val found = sent.map(_ -> Moment.SkeletonSent) ++
      runs.map(t => jobOf(t) -> (if (isReduce(t)) Moment.ReduceRunning else Moment.MapRunning)) ++
      ready.sentAhead.filter(isReduce).map(jobOf(_) -> Moment.ReduceQueued) ++
      ended.collect {
        case t if t.stage.shuffleId.isEmpty => t.job -> Moment.ReportSent
        case t if t.stage.consumers.nonEmpty && !stages(t.stage.key) =>
          t.job -> Moment.MapAnnounced
      }
    found.groupMap(_._1)(_._2).view.mapValues(_.toSet).toMap
  }

  private def here: Vector[AgentTask] =
    waiting.values.toVector ++ ready.sentAhead ++ running.values.asScala

  /** The first of a job's stages reads no shuffle. */
  private def isReduce(task: AgentTask): Boolean =
    task.stage.awaits.nonEmpty || task.stage.shuffleId.isEmpty

  private def jobOf(task: AgentTask): String = Deaths.labelOf(task.stage.properties)

  /** What has ended as long ago, in milliseconds, is likely to be known to all. */
  private val RecentMs = 20L
}
