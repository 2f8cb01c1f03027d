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

import org.apache.spark.SparkContext
import org.apache.spark.mllib.linalg.{Vector, Vectors}
import org.apache.spark.mllib.optimization.{GradientDescent => StockDescent}
import org.apache.spark.mllib.optimization.{L1Updater, LogisticGradient, SimpleUpdater, Updater}
import org.apache.spark.rdd.RDD
import org.freshet.drizzle.iterate.{GroupSize, SparseVector}
import org.freshet.drizzle.mllib.GradientDescent

/** The machine learning workload of Drizzle's evaluation: the time of an iteration of logistic regression by
  * stochastic gradient descent, with dense and with sparse updates. The rows are made up, of the shape of the
  * Reuters Corpus Volume 1: cosine-normalized, with 47 236 features of which a row has about 75. Prints one line for
  * each sample: how, what size of groups, milliseconds for each iteration, and the loss before each iteration and after
  * the last, with commas between, which is the same for all ways but for the last bits.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section 6.5, figure 7.
  */
object SgdIterations {
  private val Features = 47236
  private val FeaturesOfRow = 75
  private val StepSize = 1.0
  private val L1 = 1e-4

  /** How the weights are learned. */
  private sealed abstract class Way(val isSparse: Boolean) {

    /** @return the loss before each iteration, and after the last */
    def run(data: RDD[(Double, Vector)], iterations: Int, group: GroupSize): Array[Double]

    /** Weights that are to become sparse are regularized. */
    protected def updater: Updater = if (isSparse) new L1Updater else new SimpleUpdater

    protected def zeros: Vector = Vectors.zeros(Features)
  }

  /** MLlib as it is: treeAggregate, and a broadcast, for each iteration. */
  private final class MLlib(isSparse: Boolean) extends Way(isSparse) {
    override def run(
        data: RDD[(Double, Vector)],
        iterations: Int,
        group: GroupSize
    ): Array[Double] =
      StockDescent
        .runMiniBatchSGD(
          data,
          new LogisticGradient,
          updater,
          StepSize,
          iterations,
          L1,
          1.0,
          zeros,
          0.0
        )
        ._2
  }

  /** The same on stock Spark, but tasks give only those elements of gradients that are not zero. */
  private object StockSparse extends Way(isSparse = true) {
    override def run(
        data: RDD[(Double, Vector)],
        iterations: Int,
        group: GroupSize
    ): Array[Double] = {
      var weights = zeros
      var penalty = updater.compute(weights, zeros, 0, 1, L1)._2
      Array.tabulate(iterations + 1) { i =>
        val broadcast = data.sparkContext.broadcast(weights)
        val (sum, loss, count) = data
          .mapPartitions { rows =>
            val (gradient, logistic) = (Vectors.zeros(Features), new LogisticGradient)
            var (loss, count) = (0.0, 0L)
            rows.foreach { case (label, features) =>
              loss += logistic.compute(features, label, broadcast.value, gradient)
              count += 1
            }
            Iterator((SparseVector.of(gradient.toArray), loss, count))
          }
          .treeReduce((a, b) => (a._1 + b._1, a._2 + b._2, a._3 + b._3))
        broadcast.destroy()
        val before = loss / count + penalty
        if (i < iterations) {
          val mean = Vectors.sparse(Features, sum.indices, sum.values.map(_ / count))
          val (next, nextPenalty) = updater.compute(weights, mean, StepSize, i + 1, L1)
          weights = next
          penalty = nextPenalty
        }
        before
      }
    }
  }

  private final class Grouped(isSparse: Boolean) extends Way(isSparse) {
    override def run(
        data: RDD[(Double, Vector)],
        iterations: Int,
        group: GroupSize
    ): Array[Double] =
      new GradientDescent(new LogisticGradient, updater)
        .setStepSize(StepSize)
        .setNumIterations(iterations)
        .setRegParam(L1)
        .setConvergenceTol(0)
        .setGroupSize(group)
        .setSparse(isSparse)
        .optimizeWithLossReturned(data, zeros)
        ._2
  }

  private val ways: Map[String, Way] = Map(
    "mllib-dense" -> new MLlib(isSparse = false),
    "mllib-l1" -> new MLlib(isSparse = true),
    "stock-sparse" -> StockSparse,
    "dense" -> new Grouped(isSparse = false),
    "sparse" -> new Grouped(isSparse = true)
  )

  /** @param arguments
    *   ways; sizes of groups; iterations of a sample, one less than are run; samples; rows; partitions. The first two
    *   are lists with commas, in which a size may be "auto": tuned
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(names, groups, iterations, samples, rows, partitions)
        if names.split(',').forall(ways.contains) =>
      val sc = Applications.start("SGD")
      try {
        val data = rowsOf(sc, rows.toInt, partitions.toInt).cache()
        val chosen = names.split(',').toSeq
        val sizes = groups.split(',').toSeq
        val largest = sizes.flatMap(_.toIntOption).max
        Applications.warmUp(sc)(
          for (name <- chosen) ways(name).run(data, iterations.toInt, largest)
        )
        for {
          name <- chosen
          size <- sizes
          _ <- 0 until samples.toInt
        } {
          val begin = System.nanoTime()
          val losses = ways(name).run(data, iterations.toInt, sizeOf(size))
          val ms = (System.nanoTime() - begin) / 1e6 / losses.length
          println(f"sample\t$name\t$size\t$ms%.3f\t${losses.mkString(",")}")
        }
      } finally sc.stop()
    case _ =>
      System.err.println(
        "Usage: SgdIterations WAYS GROUPS ITERATIONS SAMPLES ROWS PARTITIONS, where ways are of " +
          ways.keys.toSeq.sorted.mkString(", ")
      )
      sys.exit(2)
  }

  private def sizeOf(group: String): GroupSize =
    if (group == "auto") GroupSize.Auto else GroupSize.of(group.toInt)

  /** Features that are common are so in all rows, as words are; which label a row has is decided by some of them. */
  private def rowsOf(sc: SparkContext, rows: Int, partitions: Int): RDD[(Double, Vector)] =
    sc.parallelize(0 until rows, partitions).map { row =>
      val random = new SplittableRandom(row.toLong)
      val features = Seq
        .fill(FeaturesOfRow)(math.pow(Features.toDouble, random.nextDouble()).toInt % Features)
        .distinct
        .sorted
        .toArray
      val values = features.map(_ => 0.1 + random.nextDouble())
      val norm = math.sqrt(values.map(v => v * v).sum)
      val label = if (features.count(_ % 3 == 0) > features.length / 3) 1.0 else 0.0
      (label, Vectors.sparse(Features, features, values.map(_ / norm)))
    }
}
