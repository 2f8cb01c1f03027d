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
package org.apache.spark.scheduler.drizzle.bench

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.util.Using

import org.apache.spark.{SimpleFutureAction, SparkContext}
import org.apache.spark.rdd.RDD
import org.freshet.drizzle.iterate.{DenseVariable, Iterations}

/** Micro-batches on simulated executors.
  *
  * @param tasks of the first stage; if there is another one, that has [[TaskResults.Reducers]]
  * @param group so many jobs are submitted before the first one's end is awaited; of iterations, so many are one
  *   job
  */
private[bench] final case class Load(
    executors: Int,
    tasks: Int,
    kind: Load.Kind,
    group: Int,
    batches: Int
)

private[bench] object Load {

  /** What a batch is. */
  sealed abstract class Kind(override val toString: String)

  /** A job of one stage. */
  case object OneStage extends Kind("1")

  /** A job of two. */
  case object TwoStages extends Kind("2")

  /** An iteration, in an application that says itself what a group is. */
  case object Iteration extends Kind("iteration")

  val Kinds: Seq[Kind] = Seq(OneStage, TwoStages, Iteration)
}

/** What a batch costs, on average.
  *
  * @param ms from when the first was submitted to the end of the last
  * @param cpuMs of the driver's process
  * @param bytes that the driver has sent
  * @param sent messages from the driver, with answers
  * @param received messages to it, with answers
  * @param simulatorCpuMs of the process that stands for the executors
  */
private[bench] final case class Cost(
    ms: Double,
    cpuMs: Double,
    bytes: Double,
    sent: Double,
    received: Double,
    simulatorCpuMs: Double
)

/** What a driver does for a micro-batch, however many executors there are: those are simulated, and tasks are
  * not run. Figure 4 (a) of Drizzle's evaluation has up to 128 machines of four slots each.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section 5.2.
  */
private[bench] object SchedulingCost {

  private val WarmUp = "warm-up:"

  /** @param arguments
    *   how often each load is measured; then loads, one an argument, as executors, tasks, kind (`1` or `2`, the
    *   number of stages, or `iteration`), group and batches, with commas. Those that begin with `warm-up:` are run and not measured. Executors stay, so
    *   later loads have at least as many.
    */
  def main(arguments: Array[String]): Unit = arguments.toSeq match {
    case repetitions +: loads if loads.nonEmpty =>
      Using.resource(new Simulator(sys.props("java.class.path"))) { simulator =>
        loads.foreach { text =>
          val load = parse(text.stripPrefix(WarmUp))
          simulator.grow(load.executors)
          if (text.startsWith(WarmUp)) run(simulator.sc, load)
          else measure(simulator, load, repetitions.toInt)
        }
      }
    case _ =>
      System.err.println(
        s"Usage: SchedulingCost REPETITIONS [$WarmUp]EXECUTORS,TASKS,KIND,GROUP,BATCHES..."
      )
      sys.exit(2)
  }

  private def measure(simulator: Simulator, load: Load, repetitions: Int): Unit = {
    // Once for what is new about it.
    run(simulator.sc, load.copy(group = 1, batches = 1))
    for (_ <- 0 until repetitions) {
      val columns = load.productIterator ++ measure(simulator, load).productIterator
      println(columns.mkString("sample\t", "\t", ""))
    }
  }

  def measure(simulator: Simulator, load: Load): Cost = {
    val trafficBefore = simulator.traffic()
    val cpuBefore = Process.cpuNs
    val begin = System.nanoTime()
    run(simulator.sc, load)
    val ns = System.nanoTime() - begin
    // They are told of it on other threads.
    simulator.sc.listenerBus.waitUntilEmpty()
    val cpu = Process.cpuNs - cpuBefore
    val traffic = simulator.traffic() - trafficBefore
    def each(sum: Long) = sum.toDouble / load.batches
    Cost(
      each(ns) / 1e6,
      each(cpu) / 1e6,
      each(traffic.bytes),
      each(traffic.fromDriver),
      each(traffic.toDriver),
      each(traffic.cpuNs) / 1e6
    )
  }

  def run(sc: SparkContext, load: Load): Unit =
    if (load.kind == Load.Iteration) iterate(sc, load) else runJobs(sc, load)

  /** That executors tell each other what their iterations have given is not simulated. */
  private def iterate(sc: SparkContext, load: Load): Unit = {
    val variable = new DenseVariable("variable", Array(0.0))
    val data = new Numbers(sc, load.tasks)
    val values = Iterations.iterate(data, load.batches, load.group, Seq(variable))((_, _, _) => ())
    val end = values(variable)(0)
    require(end == TaskResults.AtEnd, s"The variable is $end in the end, not ${TaskResults.AtEnd}")
  }

  /** Each task of a job's last stage returns the number of its partition. */
  private def runJobs(sc: SparkContext, load: Load): Unit =
    for (_ <- 0 until load.batches by load.group)
      Seq.fill(load.group)(submit(sc, load)).foreach { case (action, partitions, right) =>
        Await.ready(action, Duration(5, TimeUnit.MINUTES))
        action.value.get.get
        require(right.get == partitions, s"${right.get} of $partitions results are right")
      }

  private def submit(
      sc: SparkContext,
      load: Load
  ): (SimpleFutureAction[Unit], Int, AtomicInteger) = {
    val pairs: RDD[(Int, Int)] = new Numbers(sc, load.tasks)
    val last =
      if (load.kind == Load.OneStage) pairs else pairs.reduceByKey(_ + _, TaskResults.Reducers)
    val right = new AtomicInteger
    val action = sc.submitJob[(Int, Int), Int, Unit](
      last,
      (_: Iterator[(Int, Int)]) => -1,
      last.partitions.indices,
      (partition, value) => if (partition == value) right.incrementAndGet(),
      ()
    )
    (action, last.getNumPartitions, right)
  }

  private def parse(text: String): Load = text.split(',') match {
    case Array(executors, tasks, name, group, batches) =>
      val kind = Load.Kinds
        .find(_.toString == name)
        .getOrElse(throw new IllegalArgumentException(s"There is no load of kind '$name'"))
      val load = Load(executors.toInt, tasks.toInt, kind, group.toInt, batches.toInt)
      require(
        load.batches % load.group == 0,
        s"${load.batches} batches are no groups of ${load.group}"
      )
      load
    case _ =>
      throw new IllegalArgumentException(
        s"A load is EXECUTORS,TASKS,KIND,GROUP,BATCHES, and not '$text'"
      )
  }
}
