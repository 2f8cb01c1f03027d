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

import org.apache.spark.SparkContext
import org.freshet.drizzle.iterate.{DenseVariable, Iterations}

/** The micro-batches of [[MicroBatches]] with one stage, in an application that says itself what a group is: a batch is
  * an iteration, and a group is scheduled once, as in Drizzle's own evaluation. Each task reads what all batches before
  * have counted, so one batch begins after the other. Prints one line for each sample: tasks, size of a group, and
  * milliseconds for each batch, with what it takes to begin and end the group.
  */
object IteratedBatches {

  /** @param arguments
    *   tasks and sizes of groups, each a list with commas; how many batches are measured
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(tasks, groups, batches) =>
      val sc = Applications.start("Iterated micro-batches")
      try {
        val sizes = MicroBatches.ints(groups)
        val counts = MicroBatches.ints(tasks)
        Applications.warmUp(sc)(sizes.foreach(run(sc, counts.max, _, ToWarmUp)))
        sizes.foreach { group =>
          Applications.settle(sc, 1.0 / sizes.length) {
            run(sc, counts.max, group, MicroBatches.ToSettle)
          }
        }
        for {
          task <- counts
          group <- sizes
        } {
          run(sc, task, group, math.max(group, MicroBatches.Settling))
          for (_ <- 0 until math.max(MicroBatches.LeastSamples, batches.toInt / group)) {
            val begin = System.nanoTime()
            run(sc, task, group, group)
            val ms = (System.nanoTime() - begin) / 1e6 / group
            println(f"sample\t$task\t$group\t$ms%.3f")
          }
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: IteratedBatches TASKS GROUPS BATCHES")
      sys.exit(2)
  }

  private val ToWarmUp = 200

  private def run(sc: SparkContext, tasks: Int, group: Int, batches: Int): Unit = {
    val counted = new DenseVariable("counted", Array(0.0))
    val data = sc.parallelize(0 until tasks, tasks)
    val ofBatch = tasks.toDouble * MicroBatch.Numbers
    val values = Iterations.iterate(data, batches, group, Seq(counted)) { (batch, part, shared) =>
      requireCounted(shared.get(counted)(0), (batch - 1) * ofBatch)
      shared.update(counted, Array(part.map(MicroBatch.sum(_).toDouble).sum))
    }
    requireCounted(values(counted)(0), batches * ofBatch)
  }

  private def requireCounted(numbers: Double, expected: Double): Unit =
    require(numbers == expected, s"$numbers of $expected numbers were counted")
}
