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

import scala.collection.mutable

import org.apache.spark.{InternalAccumulator, SparkConf}
import org.apache.spark.internal.config._
import org.apache.spark.scheduler.TaskInfo
import org.apache.spark.util.AccumulatorV2
import org.apache.spark.util.collection.PercentileHeap

/** Which tasks of a task set take so long that they are tried on another host as well, by the rules and
  * keys of Spark's TaskSetManager. Guarded by the dispatcher.
  *
  * @param numTasks of the task set
  * @param slots of an executor
  */
private[drizzle] final class Stragglers(conf: SparkConf, numTasks: Int, slots: Int) {
  private val multiplier = conf.get(SPECULATION_MULTIPLIER)
  private val minRunMs = conf.get(SPECULATION_MIN_THRESHOLD)
  private val longRunFactor = conf.get(SPECULATION_EFFICIENCY_TASK_DURATION_FACTOR)
  private val rateFactor = conf.get(SPECULATION_EFFICIENCY_TASK_PROCESS_RATE_MULTIPLIER)
  private val areRatesCompared = conf.get(SPECULATION_EFFICIENCY_ENABLE)
  private val minFinished =
    math.max((conf.get(SPECULATION_QUANTILE) * numTasks).floor.toInt, 1)

  /** For task sets so small that there is nothing to compare with. */
  private val fixedMs = conf.get(SPECULATION_TASK_DURATION_THRESHOLD).filter(_ > 0)

  private val durationsMs = new PercentileHeap
  private var records = 0L
  private var runMs = 0L
  private val rates = mutable.HashMap.empty[Long, Double]

  /** @param updates what the task has counted */
  def succeeded(info: TaskInfo, updates: Iterable[AccumulatorV2[_, _]]): Unit = {
    durationsMs.insert(info.duration.toDouble)
    if (areRatesCompared) {
      val (read, ran) = Stragglers.progress(updates)
      records += read
      runMs += ran
      rates -= info.taskId
    }
  }

  /** @param updates what a task that runs has counted so far */
  def progress(taskId: Long, updates: Iterable[AccumulatorV2[_, _]]): Unit = if (areRatesCompared) {
    val (read, ran) = Stragglers.progress(updates)
    if (read > 0 && ran > 0) {
      rates(taskId) = read.toDouble / ran
    }
  }

  /** Whether a task that runs takes too long.
    *
    * @param goneAtMs when its executor will be gone, if that is known
    */
  def isSlow(info: TaskInfo, nowMs: Long, goneAtMs: Option[Long]): Boolean =
    if (numTasks == 1 && fixedMs.isEmpty) {
      false
    } else if (durationsMs.size() >= minFinished) {
      val thresholdMs = math.max(multiplier * durationsMs.percentile(), minRunMs.toDouble)
      val ranMs = info.timeRunning(nowMs)
      ranMs > thresholdMs && (ranMs > longRunFactor * thresholdMs || isInefficient(info)) ||
      goneAtMs.exists(_ < info.launchTime + durationsMs.percentile())
    } else {
      numTasks <= slots && fixedMs.exists(info.timeRunning(nowMs) > _)
    }

  private def isInefficient(info: TaskInfo): Boolean = !areRatesCompared || {
    val mean = if (records > 0 && runMs > 0) records.toDouble / runMs else Double.MaxValue
    rates.getOrElse(info.taskId, 0.0) < mean * rateFactor
  }
}

private object Stragglers {
  private val Reads =
    Set(InternalAccumulator.shuffleRead.RECORDS_READ, InternalAccumulator.input.RECORDS_READ)

  /** Records read, and milliseconds. */
  private def progress(updates: Iterable[AccumulatorV2[_, _]]): (Long, Long) = {
    def sum(which: String => Boolean): Long =
      updates.iterator.filter(_.name.exists(which)).map(_.value).collect { case n: Long => n }.sum
    (sum(Reads), sum(_ == InternalAccumulator.EXECUTOR_RUN_TIME))
  }
}
