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

import java.util.{Collections, Map => JMap}

import org.slf4j.LoggerFactory

import org.apache.spark.{HeartbeatReceiver, SparkContext, SparkEnv, TaskFailedReason}
import org.apache.spark.TaskSchedulerIsSet
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{TaskScheduler, TaskSchedulerImpl}
import org.apache.spark.scheduler.drizzle.ui.{DrizzleProgress, DrizzleTab, ProgressReporter}

/** Switches Freshet's scheduler on, with nothing but this in an application's configuration:
  *
  * {{{
  * spark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin
  * }}}
  *
  * In a Spark that it was not built for, it does nothing.
  */
final class DrizzlePlugin extends SparkPlugin {
  // Spark's own Logging differs from version to version.
  private val log = LoggerFactory.getLogger(classOf[DrizzlePlugin])

  /** @return null in another Spark */
  override def driverPlugin(): DriverPlugin =
    if (BuiltFor.isThis) {
      new DrizzleDriver
    } else {
      log.warn(BuiltFor.advice)
      null
    }

  /** @return null in another Spark */
  override def executorPlugin(): ExecutorPlugin =
    if (BuiltFor.isThis) new DrizzleExecutor else null
}

private[drizzle] final class DrizzleDriver extends DriverPlugin with Logging {
  private var sc: SparkContext = _
  private var reporter: Option[ProgressReporter] = None

  override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
    sc = context
    // Executors shall be left alone, too, and what they lack may be what the driver finds.
    val left = Suitability.ofConf(sc.conf).map(_.reason)
    left.fold(Collections.emptyMap[String, String]())(
      Collections.singletonMap(DrizzleDriver.Left, _)
    )
  }

  /** Called when the schedulers are there and no job has been submitted. */
  override def registerMetrics(appId: String, plugin: PluginContext): Unit = {
    DrizzleTab.attach(sc)
    Suitability.of(sc) match {
      case Some(unsuited) =>
        logInfo(s"Freshet leaves this application to Spark's own scheduler: ${unsuited.reason}")
        sc.listenerBus.post(
          DrizzleProgress(System.currentTimeMillis(), left = Some(unsuited.reason))
        )
      case None => install()
    }
  }

  /** Listeners can still be told then. */
  override def shutdown(): Unit = reporter.foreach(_.stop())

  private def install(): Unit = {
    val metrics = sc.env.metricsSystem
    val source = new DrizzleSource
    val batches = new BatchReport
    val stock = sc.taskScheduler.asInstanceOf[TaskSchedulerImpl]
    val dispatcher = new Dispatcher(sc, stock, source)
    val shared = new SharedTaskScheduler(stock, dispatcher)
    val before = sc.dagScheduler
    val now = new DrizzleDAGScheduler(
      sc,
      shared,
      dispatcher,
      InlineBroadcasts.install(sc.env, dispatcher.agentCount),
      new StreamGroups(sc, dispatcher, source, batches)
    )
    sc.dagScheduler = now
    before.eventProcessLoop.stop()
    SparedRemovals.install(sc, source.removalsSpared)
    sendHeartbeatsTo(shared)
    metrics.removeSource(before.metricsSource)
    metrics.registerSource(now.metricsSource)
    metrics.registerSource(source)
    reporter = Some(new ProgressReporter(sc.listenerBus, source, batches))
    logInfo("Freshet sends the stages of each job ahead")
  }

  /** Their receiver looks for the application's scheduler when it is told that there is one. For all others
    * that has to be of Spark's own class.
    */
  private def sendHeartbeatsTo(scheduler: TaskScheduler): Unit = {
    val rpc = sc.env.rpcEnv
    val receiver = rpc.setupEndpointRef(rpc.address, HeartbeatReceiver.ENDPOINT_NAME)
    val stock = sc.taskScheduler
    sc.taskScheduler = scheduler
    try receiver.askSync[Boolean](TaskSchedulerIsSet)
    finally sc.taskScheduler = stock
  }
}

private[drizzle] object DrizzleDriver {

  /** What executors are told: why they are to be left alone. */
  val Left = "left"
}

private[drizzle] final class DrizzleExecutor extends ExecutorPlugin with Logging {
  private var agent: Option[DrizzleAgent] = None

  override def init(context: PluginContext, extraConf: JMap[String, String]): Unit =
    if (SparkEnv.get.executorId == SparkContext.DRIVER_IDENTIFIER) {
      logDebug("The driver's own executor needs no agent")
    } else if (!extraConf.containsKey(DrizzleDriver.Left)) {
      DrizzleShuffleManager.install(SparkEnv.get.conf)
      agent = Some(DrizzleAgent.start(context))
    }

  override def onTaskStart(): Unit = agent.foreach(_.taskBegins())

  override def onTaskSucceeded(): Unit = agent.foreach(_.taskEnded())

  override def onTaskFailed(reason: TaskFailedReason): Unit = agent.foreach(_.taskEnded())

  override def shutdown(): Unit = agent.foreach(_.stop())
}
