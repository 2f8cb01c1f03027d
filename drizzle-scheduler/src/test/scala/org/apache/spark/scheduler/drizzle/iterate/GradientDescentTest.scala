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
package org.apache.spark.scheduler.drizzle.iterate

import java.util.Arrays

import scala.util.Random

import org.apache.spark.{SparkContext, SparkException}
import org.apache.spark.mllib.classification.StockRegression
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.mllib.optimization.{Gradient, HingeGradient, L1Updater}
import org.apache.spark.mllib.optimization.{LeastSquaresGradient, LogisticGradient, SimpleUpdater}
import org.apache.spark.mllib.optimization.{GradientDescent => StockDescent}
import org.apache.spark.mllib.optimization.{SquaredL2Updater, Updater}
import org.apache.spark.mllib.regression.LabeledPoint
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.TestCluster
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.assertj.core.data.Offset
import org.freshet.drizzle.iterate.GroupSize
import org.freshet.drizzle.mllib.{GradientDescent, LogisticRegressionWithSGD}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}

/** Gradient descent beside MLlib's. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GradientDescentTest {
  import GradientDescentTest._

  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  private val problems = Seq(
    Problem(new LogisticGradient, new SimpleUpdater, 1.0, 0.0),
    Problem(new LogisticGradient, new L1Updater, 1.0, 0.0),
    Problem(new LogisticGradient, new L1Updater, 0.3, 0.0),
    Problem(new HingeGradient, new SquaredL2Updater, 0.1, 0.0),
    Problem(new LeastSquaresGradient, new SquaredL2Updater, 1.0, 0.02)
  )

  @Test
  def twoPartitionsGiveWhatMllibGivesBitForBit(): Unit = {
    val data = rows(2).cache()
    for (problem <- problems) {
      val (weights, losses) = mllib(data, problem)
      for (isSparse <- Seq(false, true); group <- Seq[GroupSize](7, 100, GroupSize.Auto)) {
        val (found, foundLosses) = ours(data, problem, isSparse, group)
        if (!Arrays.equals(foundLosses, losses) || !Arrays.equals(found.toArray, weights.toArray)) {
          throw new AssertionError(
            s"""$problem, sparse: $isSparse, groups of $group: losses
               |${foundLosses.mkString(" ")}, not
               |${losses.mkString(" ")}; weights $found, not $weights""".stripMargin
          )
        }
      }
    }
    data.unpersist()
  }

  @Test
  def manyPartitionsGiveTheSameInEachRunAndWhatMllibGivesButForTheLastBits(): Unit = {
    val data = rows(7).cache()
    for (problem <- problems) {
      val (weights, losses) = mllib(data, problem)
      val (dense, denseLosses) = ours(data, problem, isSparse = false, 10)
      val (sparse, sparseLosses) = ours(data, problem, isSparse = true, 4)
      assertThat(Arrays.equals(dense.toArray, sparse.toArray)).isTrue
      assertThat(denseLosses).isEqualTo(sparseLosses)
      assertThat(dense.toArray).containsExactly(weights.toArray, LastBits)
      assertThat(denseLosses).containsExactly(losses, LastBits)
    }
    data.unpersist()
  }

  @Test
  def iterationsEndWhenWeightsConverge(): Unit = {
    val problem = Problem(new LeastSquaresGradient, new SimpleUpdater, 1.0, 0.05)
    val (_, losses) = ours(rows(2), problem, isSparse = false, 10)
    assertThat(losses.length).isBetween(3, 30)
    assertThat(losses.length).isEqualTo(mllib(rows(2), problem)._2.length)
  }

  @Test
  def withoutDataWeightsStayAsTheyAre(): Unit = {
    val initial = Vectors.dense(1.0, 2.0)
    val none = sc.parallelize(Seq.empty[(Double, Vector)], 3)
    val descent = new GradientDescent(new LogisticGradient, new L1Updater)
    val (weights, losses) = descent.optimizeWithLossReturned(none, initial)
    assertThat(weights).isEqualTo(initial)
    assertThat(losses).isEmpty()
  }

  @Test
  def logisticRegressionIsMllibs(): Unit = {
    val points = rows(2).map { case (label, features) => LabeledPoint(label, features) }.cache()
    val stock = StockRegression.train(points, 0.5, 30, 0.01, 1.0)
    val algorithm = new LogisticRegressionWithSGD(0.5, 30, 0.01, 1.0)
    algorithm.setIntercept(true)
    val model = algorithm.run(points)
    assertThat(model.weights).isEqualTo(stock.weights)
    assertThat(model.intercept).isEqualTo(stock.intercept)
    assertThat(model.intercept).isNotEqualTo(0.0)

    val sparse = new LogisticRegressionWithSGD(regParam = 0.1)
    sparse.optimizer.setUpdater(new L1Updater).setSparse(true).setGroupSize(25)
    val few = sparse.run(points).weights
    assertThat(few.numNonzeros).isBetween(1, few.size / 2)

    val three = points.map(p => p.copy(label = p.label + 1))
    assertThatThrownBy(() => algorithm.run(three)).isInstanceOf(classOf[SparkException])
    points.unpersist()
  }

  private def mllib(data: RDD[(Double, Vector)], of: Problem) = StockDescent.runMiniBatchSGD(
    data,
    of.gradient,
    of.updater,
    0.5,
    30,
    0.01,
    of.fraction,
    Vectors.zeros(Features),
    of.tolerance
  )

  private def ours(data: RDD[(Double, Vector)], of: Problem, isSparse: Boolean, group: GroupSize) =
    new GradientDescent(of.gradient, of.updater)
      .setStepSize(0.5)
      .setNumIterations(30)
      .setRegParam(0.01)
      .setMiniBatchFraction(of.fraction)
      .setConvergenceTol(of.tolerance)
      .setGroupSize(group)
      .setSparse(isSparse)
      .optimizeWithLossReturned(data, Vectors.zeros(Features))

  private def rows(partitions: Int): RDD[(Double, Vector)] =
    sc.parallelize(0 until 300, partitions).map(row)
}

private object GradientDescentTest {

  /** What MLlib and we are given. */
  final case class Problem(
      gradient: Gradient,
      updater: Updater,
      fraction: Double,
      tolerance: Double
  )

  val LastBits: Offset[java.lang.Double] = Offset.offset[java.lang.Double](1e-12)
  val Features = 40

  /** The first features say what the label is; some rows are sparse. */
  def row(i: Int): (Double, Vector) = {
    val random = new Random(i.toLong)
    val all = Array.fill(Features)(random.nextGaussian())
    val label = if (all(0) + all(1) - all(2) + 0.3 > 0) 1.0 else 0.0
    val features =
      if (i % 3 == 0) Vectors.dense(all)
      else Vectors.sparse(Features, (0 until Features by 1 + i % 4).map(j => (j, all(j))))
    (label, features)
  }
}
