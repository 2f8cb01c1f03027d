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
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.ui.OperationTimes
import org.apache.spark.streaming.DStreamAccess

/** Lets batches of DStreams run as groups: while one ends, the next ones are under way. Finds the
  * streaming application when its first job comes, and takes the place of the pool of one thread that
  * runs its batches.
  *
  * Safe for use by several threads.
  */
private[drizzle] final class StreamGroups(
    sc: SparkContext,
    dispatcher: Dispatcher,
    source: DrizzleSource,
    report: BatchReport
) extends BatchExecutor.Observer
    with Logging {
  private val size = GroupSize.of(sc.conf, sc.conf.get(DrizzleKeys.BatchesAtOnce).toIntOption)

  /** Those that have been looked at. Guarded by this. */
  private val known = new java.util.WeakHashMap[AnyRef, Unit]

  /** How long the operation that has ended last had waited until it began, in milliseconds. */
  @volatile private var queuedMs = 0L

  // What follows is guarded by the executor's lock: there is one application at a time.
  private var isMeasuring = false
  private var isFull = false
  private var measuredNs = 0L
  private var busyMs = 0L

  source.groups(() => size.now, () => size.lost)
  dispatcher.grouped(() => size.now)

  /** To be called before a job is submitted.
    *
    * @return the turn that has to come before the job's end is told
    */
  def before(
      rdd: RDD[_],
      function: AnyRef,
      properties: Properties
  ): Option[Turn] = if (!StreamGroups.isBatch(properties)) {
    None
  } else {
    install()
    Turn.current.flatMap { turn =>
      whyLeft(properties).orElse(CarriedState.whyChangeable(rdd, function)) match {
        case None =>
          // What it reads that those cache, it finds then; and executors run first what is submitted first.
          turn.awaitSubmissions()
          Some(turn)
        case Some(why) =>
          leftToItsTurn(why)
          turn.await()
          None
      }
    }
  }

  private def whyLeft(properties: Properties): Option[String] =
    if (Suitability.isSwitchedOff(properties)) Some(Unsuited.SwitchedOff.reason) else None

  private def install(): Unit = synchronized {
    DStreamAccess.active.filterNot(known.containsKey).foreach { application =>
      known.put(application, ())
      try DStreamAccess.keepCleaned(application)
      catch {
        case e: ReflectiveOperationException =>
          logInfo(s"Functions are cleaned for each batch: this Spark has no ${e.getMessage}")
      }
      try
        DStreamAccess.whyLeft(application) match {
          case Some(why) => leftWhole(why)
          case None =>
            DStreamAccess.replaceExecutor(
              application,
              new BatchExecutor(_, DStreamAccess.batchOf, mayBeginEarly(application), this)
            )
            DStreamAccess.steadyRates(application, () => queuedMs)
            logInfo("Batches may run as groups")
        }
      catch {
        case e: ReflectiveOperationException => leftWhole(s"this Spark has no ${e.getMessage}")
        // Nobody knows which spark-streaming an application brings.
        case e: LinkageError => leftWhole(s"this spark-streaming is another one: $e")
      }
    }
  }

  private def leftWhole(why: String): Unit = {
    report.left(why)
    logInfo(s"Batches are run one after the other: $why")
  }

  private def mayBeginEarly(application: AnyRef)(operation: Runnable): Boolean =
    try
      DStreamAccess.whyInTurn(operation) match {
        case None =>
          val atLast = DStreamAccess.processedSince(application, operation, _)
          DStreamAccess.putAround(operation)(inOrder(atLast))
          true
        case Some(why) =>
          leftToItsTurn(why)
          false
      }
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        leftToItsTurn(e.toString)
        false
    }

  /** Does what an output operation does that may have begun early.
    *
    * @param atLast given when its turn has come, if it has begun before
    */
  private def inOrder(atLast: Long => Unit)(rdd: RDD[_], done: () => Any): Any =
    Turn.current match {
      case None       => done()
      case Some(turn) =>
        // Some actions then run no job, in which it could wait.
        if (hasNoPartitions(rdd)) {
          leftToItsTurn("it has no partitions")
          turn.await()
        }
        // It may fail before its first job, which is told in its turn, too.
        try done()
        finally atLast(turn.await())
    }

  private def hasNoPartitions(rdd: RDD[_]): Boolean =
    try rdd.getNumPartitions == 0
    // It will fail again when it is asked by what is done.
    catch { case NonFatal(_) => true }

  private def leftToItsTurn(why: String): Unit = {
    source.inTurn.inc()
    if (report.waits(why)) {
      logInfo(s"An output operation waits for those before it to end: $why")
    }
  }

  override def groupSize: Int = size.now

  override def begun(isEarly: Boolean): Unit = {
    if (!isMeasuring) {
      isMeasuring = true
      startMeasuring()
    }
    if (isEarly) {
      source.early.inc()
    }
  }

  override def waiting(isFull: Boolean): Unit = this.isFull |= isFull

  override def ended(
      operation: Runnable,
      timing: BatchExecutor.Timing,
      isIdle: Boolean
  ): Unit = {
    queuedMs = NANOSECONDS.toMillis(timing.toBeginNs)
    report.ended(
      OperationTimes(
        DStreamAccess.batchOf(operation),
        DStreamAccess.numberOf(operation),
        timing.isEarly,
        NANOSECONDS.toMicros(timing.toBeginNs),
        NANOSECONDS.toMicros(timing.ranNs),
        NANOSECONDS.toMicros(timing.forTurnNs)
      )
    )
    val passedMs = (System.nanoTime() - measuredNs) / 1e6
    if (passedMs >= MeasureMs) {
      val slots = math.max(1, dispatcher.slots)
      val busy = (dispatcher.busyMs - busyMs) / (passedMs * slots)
      size.measured(math.max(0, 1 - busy), isFull)
      startMeasuring()
    }
    // What is due begins in a moment, and the time until then is lost as well.
    isMeasuring = !isIdle
  }

  private def startMeasuring(): Unit = {
    measuredNs = System.nanoTime()
    busyMs = dispatcher.busyMs
    isFull = false
  }

  /** A measurement takes at least so long. */
  private val MeasureMs = 100.0
}

private[drizzle] object StreamGroups {
  private val BatchTime = "spark.streaming.internal.batchTime"

  /** Whether a job is of a batch of DStreams.
    *
    * @param properties of its own; may be null
    */
  def isBatch(properties: Properties): Boolean =
    properties != null && properties.getProperty(BatchTime) != null
}
