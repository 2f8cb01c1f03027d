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
package org.apache.spark.streaming

import java.util.concurrent.ThreadPoolExecutor

import scala.annotation.nowarn

import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.{OutputOperation, Private}
import org.apache.spark.streaming.dstream.ForEachDStream
import org.apache.spark.streaming.scheduler.{Job, JobScheduler, JobSet, RateController}
import org.apache.spark.streaming.scheduler.rate.RateEstimator
import org.apache.spark.util.SystemClock

/** What Spark Streaming keeps to itself. Streaming's classes are not looked for unless one of its jobs
  * has come.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[spark] object DStreamAccess {

  /** The application that runs. */
  def active: Option[AnyRef] = StreamingContext.getActive()

  /** Why its batches must run one after the other; empty if they need not. */
  def whyLeft(application: AnyRef): Option[String] = {
    val conf = of(application).conf
    if (conf.get(StreamingConf.CONCURRENT_JOBS) != 1) {
      Some(s"${StreamingConf.CONCURRENT_JOBS.key} is set")
    } else {
      None
    }
  }

  /** @throws ReflectiveOperationException if this Spark has none */
  def replaceExecutor(
      application: AnyRef,
      by: ThreadPoolExecutor => ThreadPoolExecutor
  ): Unit = {
    val field = Private.field(classOf[JobScheduler], "jobExecutor")
    // All that will be asked of its jobs: later, it is too late to leave them alone.
    Private.field(Class.forName(s"${classOf[JobScheduler].getName}$$JobHandler"), "job")
    Private.field(classOf[Job], "func")
    Private.field(classOf[ForEachDStream[_]], "foreachFunc")
    Private.field(classOf[JobScheduler], "jobSets")
    Private.field(classOf[JobSet], "processingStartTime")
    Private.field(classOf[RateController], "rateEstimator")
    val scheduler = of(application).scheduler
    val now = by(field.get(scheduler).asInstanceOf[ThreadPoolExecutor])
    field.set(scheduler, now)
  }

  /** Has the rates of its input streams estimated by several batches at a time, if they are limited. To be called once.
    *
    * @param queuedMs for how long the last batch waited until it began, in milliseconds
    */
  def steadyRates(application: AnyRef, queuedMs: () => Long): Unit = {
    val estimator = Private.field(classOf[RateController], "rateEstimator")
    val graph = of(application).graph
    for (stream <- graph.getInputStreams(); controller <- stream.rateController) {
      val ofEach = estimator.get(controller).asInstanceOf[RateEstimator]
      val intervalMs = graph.batchDuration.milliseconds
      estimator.set(controller, new SteadyRateEstimator(ofEach, intervalMs, queuedMs))
    }
  }

  /** Has its functions cleaned no more than once.
    *
    * @throws ReflectiveOperationException if this Spark keeps them elsewhere
    */
  def keepCleaned(application: AnyRef): Unit = CleanedFunctions.install(of(application))

  /** The time of the batch that an output operation belongs to, in milliseconds. */
  def batchOf(operation: Runnable): Long = jobOf(operation).time.milliseconds

  /** Which of its batch's output operations one is. */
  def numberOf(operation: Runnable): Int = jobOf(operation).outputOpId

  /** Why it must not begin before its turn; empty if it may. Asks nothing of its RDD that is not known yet: stock
    * Spark would ask that when its turn comes.
    */
  def whyInTurn(operation: Runnable): Option[String] = doneIn(jobOf(operation)) match {
    case Some((stream, rdd)) =>
      val done = Private.field(classOf[ForEachDStream[_]], "foreachFunc").get(stream)
      OutputOperation.whyInTurn(done, rdd.getClass)
    case None => Some("the output operation has no known form")
  }

  /** Puts something around what an output operation does whose form is known. Nobody is told of its end before.
    *
    * @param around is given the batch's RDD, and what is done
    * @throws ReflectiveOperationException if this Spark keeps what is done elsewhere
    */
  def putAround(operation: Runnable)(around: (RDD[_], () => Any) => Any): Unit = {
    val job = jobOf(operation)
    doneIn(job).foreach { case (_, rdd) =>
      val field = Private.field(classOf[Job], "func")
      val done = field.get(job).asInstanceOf[() => Any]
      val function: () => Any = () => around(rdd, done)
      field.set(job, function)
    }
  }

  /** Has listeners told that an output operation that began before its turn has been processed since that came, and its
    * batch since its first one was. So to them batches are processed one after the other, and none takes longer than
    * an interval where an application keeps up, however many are under way. To be called before the operation ends.
    *
    * @param sinceMs in milliseconds since 1970
    */
  def processedSince(application: AnyRef, operation: Runnable, sinceMs: Long): Unit = {
    val scheduler = of(application).scheduler
    // Another clock has another time.
    if (scheduler.clock.isInstanceOf[SystemClock]) {
      def startOf(job: Job) = job.toOutputOperationInfo.startTime
      val job = jobOf(operation)
      if (startOf(job).exists(_ < sinceMs)) {
        job.setStartTime(sinceMs)
      }
      val batches = Private.field(classOf[JobScheduler], "jobSets").get(scheduler)
      val batch = batches.asInstanceOf[java.util.Map[Time, JobSet]].get(job.time)
      val begun = Private.field(classOf[JobSet], "processingStartTime")
      startOf(batch.jobs.head).filter(_ > begun.getLong(batch)).foreach(begun.setLong(batch, _))
    }
  }

  /** The output operation that a job is of, and its batch's RDD; empty if that is not known. */
  private def doneIn(job: Job): Option[(AnyRef, RDD[_])] = {
    val function = Private.field(classOf[Job], "func").get(job)
    val captured: Seq[AnyRef] =
      try Private.captured(Private.lambda(function))
      catch { case _: ReflectiveOperationException => Seq.empty }
    val streams = captured.collect { case stream: ForEachDStream[_] => stream: AnyRef }
    val rdds: Seq[RDD[_]] = captured.collect { case rdd: RDD[_] => rdd }
    (streams, rdds) match {
      case (Seq(stream), Seq(rdd)) => Some((stream, rdd))
      case _                       => None
    }
  }

  private def jobOf(operation: Runnable): Job =
    Private.field(operation.getClass, "job").get(operation).asInstanceOf[Job]

  private def of(application: AnyRef): StreamingContext =
    application.asInstanceOf[StreamingContext]
}
