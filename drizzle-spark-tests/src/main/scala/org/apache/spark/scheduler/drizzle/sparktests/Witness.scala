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
package org.apache.spark.scheduler.drizzle.sparktests

import java.nio.file.{Files, Path}
import java.nio.file.StandardOpenOption.{APPEND, CREATE}
import java.util.{Collections, Map => JMap}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.DYN_ALLOCATION_ENABLED
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend
import org.apache.spark.scheduler.drizzle.{DrizzleDAGScheduler, DrizzleSource}

/** Writes down which scheduler an application had, and what that has done.
  *
  * It comes after Freshet's plug-in in `spark.plugins`, and lets an application begin when its executors are
  * there, since stages are left to stock before.
  */
private[drizzle] final class Witness extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new WitnessDriver

  override def executorPlugin(): ExecutorPlugin = null
}

private[sparktests] final class WitnessDriver extends DriverPlugin with Logging {
  private var sc: SparkContext = _
  private var source: Option[DrizzleSource] = None

  override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
    sc = context
    Collections.emptyMap()
  }

  override def registerMetrics(appId: String, plugin: PluginContext): Unit = {
    source = sc.env.metricsSystem.getSourcesByName("drizzle").headOption.collect {
      case source: DrizzleSource => source
    }
    awaitExecutors()
  }

  private def awaitExecutors(): Unit = sc.master match {
    case Witness.LocalCluster(executors, _, _) if !sc.conf.get(DYN_ALLOCATION_ENABLED) =>
      val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
      while (ready < executors.toInt && System.nanoTime() < deadline) Thread.sleep(20)
      if (ready < executors.toInt) {
        logWarning(s"Only $ready executors of $executors have come in half a minute")
      }
    case _ =>
  }

  override def shutdown(): Unit = {
    val line = source.fold(Contexts.Stock)(Contexts.ours)
    Files.writeString(Path.of(sys.props(Witness.File)), line + "\n", CREATE, APPEND)
  }

  private def ready: Int = sc.dagScheduler match {
    case ours: DrizzleDAGScheduler => ours.dispatcher.agentCount
    case _ =>
      sc.schedulerBackend match {
        case cluster: CoarseGrainedSchedulerBackend => cluster.getExecutorIds().size
        case _                                      => Int.MaxValue
      }
  }
}

private[sparktests] object Witness {

  /** The system property that says which file to write to. */
  val File = "freshet.witness"

  private[sparktests] val LocalCluster = """local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*]""".r
}

/** What the applications of a suite had for a scheduler.
  *
  * @param ours how many had Freshet's
  * @param all how many there were
  * @param dispatched stages that Freshet has sent
  * @param ahead those of them that it sent ahead
  * @param left stages that it left to stock
  */
private[sparktests] final case class Contexts(
    ours: Int,
    all: Int,
    dispatched: Long,
    ahead: Long,
    left: Long
)

private[sparktests] object Contexts {
  val Stock = "stock"

  def ours(source: DrizzleSource): String = {
    val left = source.metricRegistry.getCounters.asScala.collect {
      case (name, counter) if name.startsWith("stages.leftToStock.") => counter.getCount
    }.sum
    s"ours ${source.dispatched.getCount} ${source.sentAhead.getCount} $left"
  }

  def read(file: Path): Contexts = {
    val lines = if (Files.exists(file)) Files.readAllLines(file).asScala.toSeq else Nil
    val counts = lines.filter(_ != Stock).map(_.split(' ').tail.map(_.toLong))
    Contexts(
      counts.size,
      lines.size,
      counts.map(_(0)).sum,
      counts.map(_(1)).sum,
      counts.map(_(2)).sum
    )
  }
}
