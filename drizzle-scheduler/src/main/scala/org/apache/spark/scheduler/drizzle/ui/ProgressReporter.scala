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
package org.apache.spark.scheduler.drizzle.ui

import java.util.concurrent.TimeUnit

import org.apache.spark.scheduler.LiveListenerBus
import org.apache.spark.scheduler.drizzle.{BatchReport, DrizzleSource}
import org.apache.spark.util.{ThreadUtils, Utils}

/** Tells Spark's listeners what the scheduler has done: at once, then each second in which something has
  * changed, and when it is stopped. Safe for use by several threads.
  */
private[drizzle] final class ProgressReporter(
    bus: LiveListenerBus,
    source: DrizzleSource,
    batches: BatchReport
) {
  private val clock = ThreadUtils.newDaemonSingleThreadScheduledExecutor("drizzle-progress")

  /** Guarded by this. */
  private var last: Option[DrizzleProgress] = None

  clock.scheduleWithFixedDelay(
    () => Utils.tryLogNonFatalError(report()),
    0,
    ProgressReporter.EveryMs,
    TimeUnit.MILLISECONDS
  )

  def stop(): Unit = {
    clock.shutdownNow()
    report()
  }

  private def report(): Unit = synchronized {
    val now = DrizzleProgress(
      System.currentTimeMillis(),
      None,
      source.counts,
      source.gauge("tasks.unsent").collect { case count: Int => count }.getOrElse(0),
      source.gauge("group.size").collect { case size: Int => size }.getOrElse(1),
      source.gauge("group.lost").collect { case share: Double => share }.getOrElse(0.0),
      source.leftToStock,
      batches.whyLeft,
      batches.waited,
      source.gauge("executors.slow").collect { case count: Int => count }.getOrElse(0),
      batches.takeEnded()
    )
    // What has ended is told once.
    val isNew = last.forall(_.copy(timeMs = now.timeMs, ended = Seq.empty) != now)
    if (isNew) {
      last = Some(now)
      bus.post(now)
    }
  }
}

private[drizzle] object ProgressReporter {
  private val EveryMs = 1000L
}
