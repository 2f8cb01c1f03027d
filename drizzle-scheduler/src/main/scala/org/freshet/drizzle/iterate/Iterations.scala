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
package org.freshet.drizzle.iterate

import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.iterate.IterationsJob

/** Runs a function on all partitions again and again, in groups of iterations: the driver decides where partitions
  * are computed, serializes, and sends once for a group. Within it, executors go from one iteration to the next
  * without the driver, and tell each other their updates of the shared variables.
  *
  * {{{
  * val weights = new DenseVariable("weights", new Array[Double](features))
  * val trained = Iterations.iterate(points.cache(), 100, variables = Seq(weights)) { (_, points, shared) =>
  *   val now = shared.get(weights)
  *   shared.update(weights, gradient(points, now).map(_ * -0.1))
  * }
  * trained(weights)
  * }}}
  *
  * Needs Freshet's scheduler (`spark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin`). Where that is off
  * or leaves a stage to Spark's own, each iteration is a job of its own, with the same results; the driver's log
  * says why.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section 4.
  */
object Iterations {

  /** @param data its partitions are computed in each iteration, unless they are persisted
    * @param iterations how many, at most
    * @param groupSize how many are scheduled at once: a number, or what measurements tell. If an executor is lost,
    *   or a task fails, the iterations of the group are run again, from the values at its beginning. A task may fail
    *   as often as any in Spark (`spark.task.maxFailures`) in each group, and what it reads may be missed as often as
    *   in any stage (`spark.stage.maxConsecutiveAttempts`).
    * @param variables with names that differ
    * @param until asked on the driver after each group; with true, no more are run. How many iterations there were by
    *   then differs from run to run if the size of groups is not a number.
    * @param body called for each partition in each iteration, with its number (the first one is 1), the
    *   partition's data, which is computed when its first row is read, and the variables. It should not wait for
    *   variables between two rows: data of a shuffle may keep memory meanwhile that other tasks need to go on. As
    *   with all that tasks of Spark do, it may be called again for the same iteration; updates of the shared
    *   variables count once.
    * @return the values after the last iteration
    * @throws org.apache.spark.SparkException if a group fails for good, as with any job
    * @throws IllegalArgumentException if a number is not positive, or two variables have one name
    */
  def iterate[T](
      data: RDD[T],
      iterations: Int,
      groupSize: GroupSize = GroupSize.Auto,
      variables: Seq[SharedVariable[_, _]],
      until: SharedValues => Boolean = _ => false
  )(body: (Int, Iterator[T], SharedVariables) => Unit): SharedValues = {
    require(iterations > 0, s"The number of iterations must be positive, and is $iterations")
    val names = variables.map(_.name)
    val repeated = names.diff(names.distinct).distinct
    require(
      repeated.isEmpty,
      s"Names of shared variables must differ, but these are repeated: ${repeated.mkString(", ")}"
    )
    val all = variables.toVector
    val job = new IterationsJob(data, all, groupSize.fixed, body)
    try {
      var now = new SharedValues(0, all, all.map(_.initial: Any))
      var values = all.map(_.initial: Any)
      while (now.iterations < iterations && (now.iterations == 0 || !until(now))) {
        val last = now.iterations + math.min(job.groupSize, iterations - now.iterations)
        values = job.run(IterationGroup(now.iterations + 1, last), values)
        now = new SharedValues(last, all, values)
      }
      now
    } finally job.close()
  }
}
