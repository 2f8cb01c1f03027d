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
package org.freshet.drizzle.bench

import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler.{
  SparkListener,
  SparkListenerExecutorAdded,
  SparkListenerTaskStart
}

/** The executors of an application on a standalone master, which come and go. */
private[bench] final class Cluster(sc: SparkContext) {
  import Cluster._

  private val added = new ConcurrentHashMap[String, Long]
  private val firstTasks = new ConcurrentHashMap[String, Long]

  sc.addSparkListener(new SparkListener {
    override def onExecutorAdded(event: SparkListenerExecutorAdded): Unit = {
      added.put(event.executorId, event.time)
      ()
    }

    override def onTaskStart(event: SparkListenerTaskStart): Unit = {
      firstTasks.putIfAbsent(event.taskInfo.executorId, event.taskInfo.launchTime)
      ()
    }
  })

  /** Those that were registered from a time on, in milliseconds since 1970, in order: when, and when the first task
    * began there.
    */
  def addedSince(time: Long): Seq[(Long, Option[Long])] =
    added.asScala.toSeq
      .collect { case (id, at) if at >= time => (at, Option(firstTasks.get(id))) }
      .sortBy(_._1)

  /** One that runs on this machine.
    *
    * @throws IllegalStateException if none does
    */
  def anExecutor(): Executor = executors.headOption.getOrElse(
    throw new IllegalStateException(
      "No executor runs on the driver's machine; nothing can be killed"
    )
  )

  /** Gives executors back until there is one, and waits for that. */
  def giveOneBack(): Unit = {
    // So many are expected from now on; Spark counts from there.
    sc.requestTotalExecutors(executorsNow, 0, Map.empty)
    require(
      sc.killExecutors(executors.map(_.id).take(executorsNow - 1)),
      "The master takes no executor back"
    )
    val deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3)
    while (executorsNow > 1) {
      // As at the start, listeners hear of it before the tracker does.
      require(
        System.nanoTime() < deadline,
        s"There are $executorsNow executors after three minutes"
      )
      Thread.sleep(50)
    }
  }

  /** Asks for one more. */
  def addOne(): Unit = require(sc.requestExecutors(1), "The master was not asked for an executor")

  /** The driver is among them. */
  private def executorsNow: Int = sc.statusTracker.getExecutorInfos.length - 1

  private def executors: Seq[Executor] = sc
    .parallelize(0 until 4 * executorsNow, 4 * executorsNow)
    .map { _ =>
      val process = ProcessHandle.current
      Executor(SparkEnv.get.executorId, process.pid, bornMs(process))
    }
    .collect()
    .toSeq
    .distinct
    .filter(_.process.isDefined)
    .sortBy(_.id)
}

private[bench] object Cluster {

  /** An executor's process.
    *
    * @param bornMs when it was started, in milliseconds since 1970; the system gives ids to others later
    */
  final case class Executor(id: String, pid: Long, bornMs: Option[Long]) {

    /** Empty if it has ended, or runs on another machine. */
    def process: Option[ProcessHandle] = ProcessHandle.of(pid).toScala.filter { process =>
      // Each JVM reckons from when it takes the machine to have been started, in whole seconds.
      val difference = for (ours <- bornMs; now <- Cluster.bornMs(process)) yield ours - now
      difference.exists(ms => math.abs(ms) <= 2000)
    }

    /** Has it stand still, as on a machine that hangs, and then ends it without a chance to say so. */
    def hang(ms: Long): Unit =
      try {
        val stopping = new ProcessBuilder("kill", "-STOP", pid.toString).inheritIO.start()
        require(
          process.isDefined && stopping.waitFor() == 0,
          s"Executor $id, process $pid, can't be stopped"
        )
        TimeUnit.MILLISECONDS.sleep(ms)
      } finally kill()

    /** Ends it without a chance to say so. */
    def kill(): Unit = require(
      process.exists(_.destroyForcibly()),
      s"Executor $id, process $pid, can't be killed: it has ended"
    )
  }

  private def bornMs(process: ProcessHandle): Option[Long] =
    process.info.startInstant.toScala.map(_.toEpochMilli)
}
