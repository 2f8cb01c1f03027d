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

import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.SparkContext

/** The microbenchmark of Drizzle's evaluation: the time that a micro-batch takes which has next to
  * nothing to compute. Each task sums random numbers; where there are two stages, its sums go to
  * reducers. Prints one line for each sample: what was measured, and milliseconds for each batch.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section
  * 5.2, figure 4.
  */
object MicroBatches {

  /** Batches that warm up the JVMs, of each number of stages. */
  private val ToWarmUp = 200
  private val AtOnceToWarmUp = 10

  /** Batches of a kind before it is measured. */
  val Settling = 20

  /** Batches whose time tells whether the next ones will be faster. */
  val ToSettle = 300

  /** Groups of a kind that are measured, however large they are. */
  val LeastSamples = 10

  /** @param arguments
    *   tasks, stages and sizes of groups, each a list with commas; how many batches are measured
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(tasks, stages, groups, batches) =>
      val sc = Applications.start("Micro-batches")
      try {
        Applications.warmUp(sc)(
          ints(stages).foreach(run(sc, _, ints(tasks).max, AtOnceToWarmUp, ToWarmUp))
        )
        for {
          stage <- ints(stages)
          group <- ints(groups)
        } Applications.settle(sc, 1.0 / ints(groups).length) {
          run(sc, stage, ints(tasks).max, group, ToSettle)
        }
        for {
          stage <- ints(stages)
          task <- ints(tasks)
          group <- ints(groups)
        } {
          run(sc, stage, task, group, math.max(group, Settling))
          samples(sc, stage, task, group, batches.toInt).foreach { ms =>
            println(f"sample\t$stage\t$task\t$group\t$ms%.3f")
          }
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: MicroBatches TASKS STAGES GROUPS BATCHES")
      sys.exit(2)
  }

  def ints(list: String): Seq[Int] = list.split(',').toSeq.map(_.toInt)

  private def samples(
      sc: SparkContext,
      stages: Int,
      tasks: Int,
      group: Int,
      batches: Int
  ): Seq[Double] = Seq.fill(math.max(LeastSamples, batches / group)) {
    val begin = System.nanoTime()
    run(sc, stages, tasks, group, group)
    (System.nanoTime() - begin) / 1e6 / group
  }

  /** @param group so many batches are submitted before the first one's result is awaited */
  private def run(sc: SparkContext, stages: Int, tasks: Int, group: Int, batches: Int): Unit =
    for (_ <- 0 until batches by group) {
      val submitted = Seq.fill(group)(MicroBatch.submit(sc, stages, tasks))
      submitted.foreach { case (action, counted) =>
        Await.ready(action, Duration(2, TimeUnit.MINUTES))
        action.value.get.get
        val expected = tasks.toLong * MicroBatch.Numbers
        require(counted.get == expected, s"A batch counted $counted of $expected numbers")
      }
    }
}
