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
package org.freshet.drizzle.mllib

import java.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.mllib.optimization.{Gradient, Optimizer, Updater}
import org.apache.spark.rdd.RDD
import org.apache.spark.util.random.BernoulliSampler
import org.freshet.drizzle.iterate.{GroupSize, Iterations, SharedVariables}

/** MLlib's gradient descent, in groups of iterations: it takes MLlib's gradients and updaters, does the arithmetic
  * of `org.apache.spark.mllib.optimization.GradientDescent` and draws the same samples, but the weights are a
  * shared variable, and not a broadcast of each iteration. Partitions' gradients are summed in a fixed order, and
  * MLlib sums them as they come: so the weights are the same from run to run, and MLlib's may differ from them, as
  * from one another, in the last bits if there are more than two partitions.
  *
  * {{{
  * val descent = new GradientDescent(new LogisticGradient, new L1Updater)
  *   .setNumIterations(100).setRegParam(0.001).setSparse(true)
  * val weights = descent.optimize(points.cache(), Vectors.zeros(features))
  * }}}
  *
  * Needs spark-mllib, which every distribution of Spark has. Venkataraman et al., "Drizzle: Fast and Adaptable
  * Stream Processing at Scale", SOSP 2017, sections 4 and 5.
  *
  * Not safe for use by several threads.
  */
class GradientDescent(private var gradient: Gradient, private var updater: Updater)
    extends Optimizer {
  private var stepSize = 1.0
  private var numIterations = 100
  private var regParam = 0.0
  private var miniBatchFraction = 1.0
  private var convergenceTol = 0.001
  private var groupSize: GroupSize = GroupSize.Auto
  private var isSparse = false

  /** Of the first iteration; that of iteration t is smaller by the square root of t. 1 by default. */
  def setStepSize(step: Double): this.type = {
    require(step > 0, s"The step size must be positive, and is $step")
    stepSize = step
    this
  }

  /** The share of the data that is sampled in each iteration. 1 by default. */
  def setMiniBatchFraction(fraction: Double): this.type = {
    require(
      fraction > 0 && fraction <= 1,
      s"The fraction of a mini-batch must be above 0 and up to 1, and is $fraction"
    )
    miniBatchFraction = fraction
    this
  }

  /** 100 by default. */
  def setNumIterations(iterations: Int): this.type = {
    require(
      iterations >= 0 && iterations < Int.MaxValue,
      s"The number of iterations must not be negative, and is $iterations"
    )
    numIterations = iterations
    this
  }

  /** 0 by default. */
  def setRegParam(parameter: Double): this.type = {
    require(parameter >= 0, s"The regularization must not be negative, and is $parameter")
    regParam = parameter
    this
  }

  /** The iteration that changes the weights by less is the last one: less than this times their norm, or than this
    * alone if the norm is below 1. What is left of its group does nothing. 0.001 by default.
    */
  def setConvergenceTol(tolerance: Double): this.type = {
    require(
      tolerance >= 0 && tolerance <= 1,
      s"The convergence tolerance must be from 0 to 1, and is $tolerance"
    )
    convergenceTol = tolerance
    this
  }

  def setGradient(other: Gradient): this.type = {
    gradient = other
    this
  }

  def setUpdater(other: Updater): this.type = {
    updater = other
    this
  }

  /** How many iterations are scheduled at once, and run again when an executor is lost. `GroupSize.Auto` by default:
    * what measurements tell. Weights and losses do not depend on it.
    */
  def setGroupSize(size: GroupSize): this.type = {
    groupSize = size
    this
  }

  /** Gives all groups as many, but the last one. */
  def setGroupSize(iterations: Int): this.type = setGroupSize(GroupSize.of(iterations))

  /** Whether executors send each other only those elements of gradients that are not zero. It is for data whose
    * partitions, or samples of them, have few of all features; the weights are the same. The updater gets a
    * sparse vector then, as MLlib's own do take. False by default.
    */
  def setSparse(sparse: Boolean): this.type = {
    isSparse = sparse
    this
  }

  /** The weights after the last iteration. */
  override def optimize(data: RDD[(Double, Vector)], initialWeights: Vector): Vector =
    optimizeWithLossReturned(data, initialWeights)._1

  /** The weights after the last iteration, and the loss before each, and after the last, of the samples that
    * were drawn. Without data, these are the initial weights, and no losses.
    */
  def optimizeWithLossReturned(
      data: RDD[(Double, Vector)],
      initialWeights: Vector
  ): (Vector, Array[Double]) = {
    val initial = Vectors.dense(initialWeights.toArray.clone())
    val penalty = updater.compute(initial, Vectors.zeros(initial.size), 0, 1, regParam)._2
    val descent = new DescentVariable(
      new DescentState(initial.toArray, penalty, Vector.empty[Double], isConverged = false),
      updater,
      stepSize,
      regParam,
      numIterations,
      convergenceTol
    )
    // As with MLlib, one more for the loss.
    val found = Iterations.iterate(
      data,
      numIterations + 1,
      groupSize,
      Seq(descent),
      _(descent).isConverged
    )(new DescentStep(descent, gradient, miniBatchFraction, isSparse))
    (Vectors.dense(found(descent).weights), found(descent).losses.toArray)
  }
}

/** What a task does in an iteration. */
private[mllib] final class DescentStep(
    descent: DescentVariable,
    gradient: Gradient,
    fraction: Double,
    isSparse: Boolean
) extends ((Int, Iterator[(Double, Vector)], SharedVariables) => Unit)
    with Serializable {
  override def apply(
      iteration: Int,
      data: Iterator[(Double, Vector)],
      shared: SharedVariables
  ): Unit = {
    val state = shared.get(descent)
    val rows = if (state.isConverged) Iterator.empty else sample(iteration, data)
    if (rows.nonEmpty) {
      val weights = Vectors.dense(state.weights)
      val sum = Vectors.zeros(weights.size)
      var loss = 0.0
      var count = 0L
      rows.foreach { case (label, features) =>
        loss += gradient.compute(features, label, weights, sum)
        count += 1
      }
      shared.update(descent, DescentSum.of(sum.toArray, isSparse, loss, count))
    }
  }

  /** Draws what MLlib draws: `RDD.sample` gives each partition a seed of its own. */
  private def sample(iteration: Int, data: Iterator[(Double, Vector)]) = {
    val seeds = new Random(DescentStep.Seed + iteration)
    for (_ <- 0 until TaskContext.getPartitionId()) seeds.nextLong()
    val sampler = new BernoulliSampler[(Double, Vector)](fraction)
    sampler.setSeed(seeds.nextLong())
    sampler.sample(data)
  }
}

private object DescentStep {

  /** MLlib's. */
  private val Seed = 42
}
