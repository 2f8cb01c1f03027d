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

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.codahale.metrics.{Counter, Gauge, MetricRegistry}

import org.apache.spark.metrics.source.Source
import org.apache.spark.scheduler.drizzle.ui.Count

/** What the scheduler has done, in Spark's metrics system. */
private[drizzle] final class DrizzleSource extends Source {
  override val sourceName: String = "drizzle"
  override val metricRegistry: MetricRegistry = new MetricRegistry

  private val unsuited = ConcurrentHashMap.newKeySet[Unsuited]

  /** Task sets whose tasks were sent to agents. */
  val dispatched: Counter = metricRegistry.counter("stages.dispatched")

  /** Those of them that were sent before their inputs were there. */
  val sentAhead: Counter = metricRegistry.counter("stages.sentAhead")

  /** Those of them that were taken back, because inputs were lost. */
  val takenBack: Counter = metricRegistry.counter("stages.takenBack")

  /** Task sets for whose tasks it was decided where they go, each time. */
  val placed: Counter = metricRegistry.counter("placement.decided")

  /** Task sets whose tasks went where those of an alike one had gone. */
  val placedAgain: Counter = metricRegistry.counter("placement.reused")

  /** Tasks that waited for inputs on an executor that was lost, and wait on another one since. */
  val sentAgain: Counter = metricRegistry.counter("tasks.sentAgain")

  /** Tasks that waited for others on the same executor, which cache what they read. */
  val following: Counter = metricRegistry.counter("tasks.following")

  /** Tasks that were asked for again before they began, for an executor that had nothing to do. */
  val recalled: Counter = metricRegistry.counter("tasks.recalled")

  /** Second attempts that were sent because the first was slow. */
  val speculated: Counter = metricRegistry.counter("tasks.speculated")

  /** Executors that came while short tasks ran on others, and rehearsed before they got any. */
  val rehearsed: Counter = metricRegistry.counter("executors.rehearsed")

  /** @param count tasks that are to be sent, but for which there is no executor or not all of their inputs */
  def unsent(count: () => Int): Unit =
    metricRegistry.gauge("tasks.unsent", () => (() => count()): Gauge[_])

  /** @param count executors that get fewer tasks, since these take much longer there than on others */
  def slow(count: () => Int): Unit =
    metricRegistry.gauge("executors.slow", () => (() => count()): Gauge[_])

  /** Messages with tasks. */
  val messages: Counter = metricRegistry.counter("messages")

  /** Output operations of DStreams that have begun before those before them had ended. */
  val early: Counter = metricRegistry.counter("batches.early")

  /** Those that had to wait for their turn, for what they do or take along. */
  val inTurn: Counter = metricRegistry.counter("batches.inTurn")

  /** RDDs of batches of DStreams that were done with, of which no executor had to be told, since they were never cached. */
  val removalsSpared: Counter = metricRegistry.counter("removals.spared")

  /** Groups of iterations that were run as a job each. */
  val iterationGroups: Counter = metricRegistry.counter("iterations.groups")

  /** Attempts of groups of iterations that were given up, and run again. */
  val iterationsAgain: Counter = metricRegistry.counter("iterations.again")

  /** Groups of iterations that were run as plain jobs. */
  val iterationsPlain: Counter = metricRegistry.counter("iterations.plain")

  @volatile private var iterations = (0, 0.0)
  metricRegistry.gauge("iterations.group.size", () => (() => iterations._1): Gauge[_])
  metricRegistry.gauge("iterations.group.lost", () => (() => iterations._2): Gauge[_])

  /** A group of iterations has ended.
    *
    * @param size how many iterations the next one has, unless fewer are left
    * @param lost share of the time of groups that was not spent in iterations
    */
  def iterated(size: Int, lost: Double): Unit = iterations = (size, lost)

  /** @param size how many batches may be under way at once
    * @param lost share of the executors' time that is lost though batches are due
    */
  def groups(size: () => Int, lost: () => Double): Unit = {
    metricRegistry.gauge("group.size", () => (() => size()): Gauge[_])
    metricRegistry.gauge("group.lost", () => (() => lost()): Gauge[_])
  }

  /** Task sets left to stock Spark, by reason. */
  def leftToStock(why: Unsuited): Counter = {
    unsuited.add(why)
    metricRegistry.counter(s"$LeftToStock.${why.getClass.getSimpleName.stripSuffix("$")}")
  }

  /** How many task sets were left to stock Spark, by reason in words. */
  def leftToStock: Seq[Count] = unsuited.asScala.toVector
    .map(why => Count(why.reason, leftToStock(why).getCount))
    .filter(_.count > 0)
    .sortBy(_.of)

  /** All counters but those by reason, by name. */
  def counts: Seq[Count] = metricRegistry.getCounters.asScala.iterator.collect {
    case (name, counter) if !name.startsWith(LeftToStock) => Count(name, counter.getCount)
  }.toVector

  /** @return the value of a gauge; empty if it has not been set up */
  def gauge(name: String): Option[Any] =
    Option(metricRegistry.getGauges.get(name)).map(_.getValue)

  private val LeftToStock = "stages.leftToStock"
}
