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

import org.apache.spark.rdd.RDD
import org.apache.spark.SparkContext
import org.freshet.drizzle.iterate.{DenseVariable, IterationGroup, Iterations}
import org.freshet.drizzle.iterate.{SharedVariable, SharedVariables, SparseVariable, SparseVector}

/** Iterations that a seed decides: variables of several kinds, which tasks read, update and commit in some order.
  *
  * @param disturb called by each task before an iteration, with that and the partition; not in the sequential run
  */
private[iterate] final class RandomIterations(
    seed: Long,
    disturb: (Int, Int) => Unit = (_, _) => ()
) {
  private val random = new Random(seed)
  private val partitions = 1 + random.nextInt(9)
  private val iterations = 1 + random.nextInt(12)
  private val groupSize = Seq(1, 2, 3, 5, 20)(random.nextInt(5))
  private val rows = Vector.tabulate(partitions) { partition =>
    Vector.fill(random.nextInt(20))((partition, random.nextDouble()))
  }
  private val variables = Vector.tabulate(1 + random.nextInt(4)) { i =>
    random.nextInt(4) match {
      case 0 =>
        new DenseVariable(s"dense $i", Array.fill(1 + random.nextInt(30))(random.nextDouble()))
      case 1 => new SparseVariable(s"sparse $i", new SparseVector(1000, Array(7), Array(0.1)))
      case 2 => new Smallest(s"smallest $i")
      case _ => new History(s"history $i")
    }
  }

  /** @throws AssertionError if a value differs in one bit */
  def check(sc: SparkContext): Unit = {
    val body = new RandomBody(seed, variables)
    val expected = SequentialIterations.run(
      rows.zipWithIndex.map { case (some, partition) => (partition, 0.5) +: some },
      iterations,
      groupSize,
      variables
    )(body)
    val mess = disturb
    val data: RDD[(Int, Double)] =
      sc.parallelize(rows, partitions).mapPartitionsWithIndex { (partition, some) =>
        Iterator((partition, 0.5)) ++ some.flatten
      }
    val isCached = random.nextBoolean()
    if (isCached) data.cache()
    val found = Iterations.iterate(data, iterations, groupSize, variables) {
      (iteration, some, shared) =>
        val all = some.toVector
        mess(iteration, all.head._1)
        body(iteration, all.iterator, shared)
    }
    if (isCached) data.unpersist()
    for (variable <- variables) {
      val (value, wanted) = (found(variable): Any, expected(variable.name))
      val isEqual = (value, wanted) match {
        case (one: Array[Double], other: Array[Double]) => Arrays.equals(one, other)
        case _                                          => value == wanted
      }
      if (!isEqual) {
        throw new AssertionError(
          s"""Seed $seed, $partitions partitions, $iterations iterations by $groupSize: $variable is
             |${show(value)}, not
             |${show(wanted)}""".stripMargin
        )
      }
    }
  }

  private def show(value: Any): String = value match {
    case numbers: Array[Double] => numbers.mkString(" ")
    case other                  => other.toString
  }
}

private[iterate] final class RandomBody(seed: Long, variables: Vector[SharedVariable[_, _]])
    extends ((Int, Iterator[(Int, Double)], SharedVariables) => Unit)
    with Serializable {
  override def apply(
      iteration: Int,
      rows: Iterator[(Int, Double)],
      shared: SharedVariables
  ): Unit = {
    val all = rows.toVector
    val partition = all.head._1
    val random = new Random(seed * 31 + iteration * 1009 + partition)
    for (variable <- random.shuffle(variables) if random.nextInt(6) > 0) {
      variable match {
        case dense: DenseVariable =>
          val now = shared.get(dense)
          val update = new Array[Double](now.length)
          for ((_, x) <- all) {
            val i = random.nextInt(now.length)
            update(i) += math.sin(now((i + 1) % now.length)) * x
          }
          shared.update(dense, update)
        case sparse: SparseVariable =>
          for ((_, x) <- all.take(3)) {
            val now = shared.get(sparse)
            val i = random.nextInt(now.size)
            shared.update(sparse, new SparseVector(now.size, Array(i), Array(now(7) * x)))
          }
        case smallest: Smallest =>
          all.foreach { case (_, x) => shared.update(smallest, x - iteration * 0.01) }
        case history: History =>
          shared.update(history, s"$partition:${shared.get(history).hashCode}")
        case other => throw new IllegalArgumentException(s"What is $other?")
      }
      if (random.nextBoolean()) {
        shared.commit(variable)
      }
    }
  }
}

/** A variable as a user would write one. It keeps nothing at a boundary between groups but what is positive. */
private[iterate] final class Smallest(name: String)
    extends SharedVariable[Double, Double](name, 1.0) {
  override def mergesInAnyOrder: Boolean = true

  override def merge(left: Double, right: Double): Double = math.min(left, right)

  override def apply(value: Double, update: Double, iteration: Int): Double =
    math.min(value, update)

  override def groupEnds(value: Double, group: IterationGroup): Double = math.abs(value)
}

/** Shows in which order updates were merged and applied, and where groups began. */
private[iterate] final class History(name: String)
    extends SharedVariable[String, String](name, "") {
  override def merge(left: String, right: String): String = s"($left $right)"

  override def apply(value: String, update: String, iteration: Int): String =
    s"$value $iteration=$update"

  override def groupBegins(value: String, group: IterationGroup): String = s"$value [$group]"
}
