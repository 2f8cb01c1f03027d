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

import org.apache.spark.mllib.linalg.{Vector => Weights, Vectors}
import org.apache.spark.mllib.optimization.Updater
import org.freshet.drizzle.iterate.{SharedVariable, SparseVector}

/** How far a descent has come. Immutable, as long as nobody changes its weights.
  *
  * @param penalty the regularization's part of the loss
  * @param losses before each iteration that has had data
  * @param isConverged whether no more iterations are wanted
  */
private[mllib] final case class DescentState(
    weights: Array[Double],
    penalty: Double,
    losses: Vector[Double],
    isConverged: Boolean
)

/** Gradients of some rows, summed.
  *
  * @param dense all elements; null if only those that are not zero are kept
  * @param sparse those; null if all are kept
  */
private[mllib] final class DescentSum private (
    val dense: Array[Double],
    val sparse: SparseVector,
    val loss: Double,
    val count: Long
) extends Serializable {

  /** May change this one. */
  def merge(that: DescentSum): DescentSum =
    if (sparse == null) {
      var i = 0
      while (i < dense.length) {
        dense(i) += that.dense(i)
        i += 1
      }
      new DescentSum(dense, null, loss + that.loss, count + that.count)
    } else {
      new DescentSum(null, sparse + that.sparse, loss + that.loss, count + that.count)
    }

  /** The gradient, divided by the number of rows. */
  def mean: Weights =
    if (sparse == null) Vectors.dense(dense.map(_ / count.toDouble))
    else Vectors.sparse(sparse.size, sparse.indices, sparse.values.map(_ / count.toDouble))
}

private[mllib] object DescentSum {

  /** @param gradient no longer the caller's
    * @param isSparse whether to keep only those elements that are not zero
    */
  def of(gradient: Array[Double], isSparse: Boolean, loss: Double, count: Long): DescentSum =
    if (isSparse) new DescentSum(null, SparseVector.of(gradient), loss, count)
    else new DescentSum(gradient, null, loss, count)
}

/** The weights of a gradient descent: an iteration's update is the sum of all gradients, and each replica takes the
  * step by itself.
  */
private[mllib] final class DescentVariable(
    initial: DescentState,
    updater: Updater,
    stepSize: Double,
    regParam: Double,
    numIterations: Int,
    convergenceTol: Double
) extends SharedVariable[DescentState, DescentSum]("weights", initial) {
  override def merge(left: DescentSum, right: DescentSum): DescentSum = left.merge(right)

  override def apply(state: DescentState, sum: DescentSum, iteration: Int): DescentState = {
    val losses = state.losses :+ (sum.loss / sum.count.toDouble + state.penalty)
    if (iteration > numIterations) {
      state.copy(losses = losses)
    } else {
      val (next, penalty) =
        updater.compute(Vectors.dense(state.weights), sum.mean, stepSize, iteration, regParam)
      // MLlib compares no first step.
      val isConverged = state.losses.nonEmpty && converges(state.weights, next)
      DescentState(next.toArray, penalty, losses, isConverged)
    }
  }

  private def converges(before: Array[Double], now: Weights): Boolean = {
    val change = Vectors.dense(Array.tabulate(before.length)(i => before(i) - now(i)))
    Vectors.norm(change, 2) < convergenceTol * math.max(Vectors.norm(now, 2), 1.0)
  }
}
