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
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.{SimpleFutureAction, SparkContext}
import org.apache.spark.rdd.RDD

/** A micro-batch that has next to nothing to compute: what an application of the user's would consist of, apart from what
  * measures it. Spark's ClosureCleaner reads the whole class of each function of each batch, so the time of a batch depends on how
  * long that is.
  */
private[bench] object MicroBatch {
  val Numbers = 100
  private val Reducers = 16

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

  /** @return what can be waited for, and how many numbers have been summed by then */
  def submit(
      sc: SparkContext,
      stages: Int,
      tasks: Int
  ): (SimpleFutureAction[Unit], AtomicLong) = {
    val sums: RDD[(Int, Long)] =
      sc.parallelize(0 until tasks, tasks).map(task => (task % Reducers, sum(task)))
    val last = if (stages == 1) sums else sums.reduceByKey(_ + _, Reducers)
    val counted = new AtomicLong
    val action = sc.submitJob[(Int, Long), Long, Unit](
      last,
      (part: Iterator[(Int, Long)]) => part.map(_._2).sum,
      0 until last.getNumPartitions,
      (_, count) => counted.addAndGet(count),
      ()
    )
    (action, counted)
  }
}
