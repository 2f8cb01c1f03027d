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

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.{SimpleFutureAction, SparkContext}
import org.apache.spark.rdd.RDD

/** The microbenchmark of Drizzle's evaluation: the time that a micro-batch takes which has next to
  * nothing to compute. Each task sums random numbers; where there are two stages, its sums go to
  * reducers. Prints one line for each sample: what was measured, and milliseconds for each batch.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section
  * 5.2, figure 4.
  */
object MicroBatches {
  val Numbers = 100
  private val Reducers = 16

  /** Batches that warm up the JVMs, of each number of stages. */
  private val ToWarmUp = 200
  private val AtOnceToWarmUp = 10

  /** Batches of a kind before it is measured. */
  val Settling = 20

  /** Batches whose time tells whether the next ones will be faster. */
  val ToSettle = 300

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
        ints(stages).foreach { stage =>
          Applications.settle(sc)(run(sc, stage, ints(tasks).max, 1, ToSettle))
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

  /** What a task has to compute.
    *
    * @return how many numbers it has summed
    */
  def sum(task: Int): Long = {
    val random = new SplittableRandom(task.toLong)
    var sum = 0.0
    for (_ <- 0 until Numbers) sum += random.nextDouble()
    require(sum >= 0)
    Numbers.toLong
  }

  def ints(list: String): Seq[Int] = list.split(',').toSeq.map(_.toInt)

  private def samples(
      sc: SparkContext,
      stages: Int,
      tasks: Int,
      group: Int,
      batches: Int
  ): Seq[Double] = Seq.fill(math.max(1, batches / group)) {
    val begin = System.nanoTime()
    run(sc, stages, tasks, group, group)
    (System.nanoTime() - begin) / 1e6 / group
  }

  /** @param group so many batches are submitted before the first one's result is awaited */
  private def run(sc: SparkContext, stages: Int, tasks: Int, group: Int, batches: Int): Unit =
    for (_ <- 0 until batches by group) {
      val submitted = Seq.fill(group)(submit(sc, stages, tasks))
      submitted.foreach { case (action, expected, result) =>
        Await.ready(action, Duration(2, TimeUnit.MINUTES))
        action.value.get.get
        require(result() == expected, s"A batch counted ${result()} of $expected numbers")
      }
    }

  private def submit(
      sc: SparkContext,
      stages: Int,
      tasks: Int
  ): (SimpleFutureAction[Unit], Long, () => Long) = {
    val sums: RDD[(Int, Long)] =
      sc.parallelize(0 until tasks, tasks).map(task => (task % Reducers, sum(task)))
    val last = if (stages == 1) sums else sums.reduceByKey(_ + _, Reducers)
    val counted = new java.util.concurrent.atomic.AtomicLong
    val action = sc.submitJob[(Int, Long), Long, Unit](
      last,
      (part: Iterator[(Int, Long)]) => part.map(_._2).sum,
      0 until last.getNumPartitions,
      (_, count) => counted.addAndGet(count),
      ()
    )
    (action, tasks.toLong * Numbers, () => counted.get)
  }
}
