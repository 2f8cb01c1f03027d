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

import org.apache.spark.mllib.classification.LogisticRegressionModel
import org.apache.spark.mllib.linalg.Vector
import org.apache.spark.mllib.optimization.{LogisticGradient, SquaredL2Updater}
import org.apache.spark.mllib.regression.{GeneralizedLinearAlgorithm, LabeledPoint}
import org.apache.spark.mllib.util.DataValidators
import org.apache.spark.rdd.RDD

/** Binary logistic regression by stochastic gradient descent, with the parameters and results of MLlib's class of
  * this name, in groups of iterations. `optimizer` has what else can be set: for sparse weights by L1
  * regularization, `optimizer.setUpdater(new L1Updater).setSparse(true)`.
  *
  * Any other of MLlib's generalized linear algorithms can have a [[GradientDescent]] of its own, in the same way.
  *
  * @param stepSize of the first iteration
  * @param miniBatchFraction the share of the data that is sampled in each iteration
  */
class LogisticRegressionWithSGD(
    stepSize: Double = 1.0,
    numIterations: Int = 100,
    regParam: Double = 0.01,
    miniBatchFraction: Double = 1.0
) extends GeneralizedLinearAlgorithm[LogisticRegressionModel] {
  override val optimizer: GradientDescent =
    new GradientDescent(new LogisticGradient, new SquaredL2Updater)
      .setStepSize(stepSize)
      .setNumIterations(numIterations)
      .setRegParam(regParam)
      .setMiniBatchFraction(miniBatchFraction)

  override protected val validators: Seq[RDD[LabeledPoint] => Boolean] =
    List(DataValidators.binaryLabelValidator)

  override protected def createModel(weights: Vector, intercept: Double): LogisticRegressionModel =
    new LogisticRegressionModel(weights, intercept)
}
