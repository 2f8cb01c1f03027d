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
package org.apache.spark.scheduler.drizzle

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

/** A program over RDDs that a seed decides, some of whose tasks fail at first. Each step is also done
  * on Scala's collections, which is what the results are compared with. All that it has seen is written down, to be
  * compared with what it sees on stock Spark: that knows more than collections do, as what is in which partition.
  *
  * @param losesExecutors whether stages may be run again. What their tasks add to accumulators is then counted again.
  */
private[drizzle] final class RandomProgram(
    sc: SparkContext,
    seed: Long,
    losesExecutors: Boolean = false
) {
  import RandomProgram._

  private val random = new Random(seed)
  private val steps = mutable.ArrayBuffer.empty[String]
  private val persisted = mutable.ArrayBuffer.empty[RDD[_]]
  private val seen = mutable.ArrayBuffer.empty[String]

  /** @return
    *   what it has seen, after its steps
    * @throws AssertionError
    *   if a result differs from that of collections, with the program's steps
    */
  def run(): Seq[String] = {
    try {
      val pool = mutable.ArrayBuffer.fill(1 + random.nextInt(3))(source())
      for (_ <- 0 until 2 + random.nextInt(6)) {
        pool += step(pick(pool), pick(pool))
        if (random.nextInt(5) == 0) {
          check(pick(pool))
        }
      }
      pool.takeRight(1 + random.nextInt(2)).foreach(check)
    } finally persisted.foreach(_.unpersist(blocking = true))
    (s"Program $seed: ${steps.mkString(", ")}" +: seen).toSeq
  }

  private def pick[A](from: collection.IndexedSeq[A]): A = from(random.nextInt(from.size))

  private def partitions(): Int = 1 + random.nextInt(5)

  private def source(): Data = {
    val pairs = Seq.fill(random.nextInt(200))((random.nextInt(Keys), random.nextInt(1000).toLong))
    note("source")
    Data(sc.parallelize(pairs, partitions()), pairs, isOrdered = true)
  }

  private def step(data: Data, other: Data): Data = random.nextInt(12) match {
    case 0 =>
      val (a, b) = (1 + random.nextInt(5), random.nextInt(9))
      note(s"map $a $b")
      def f(p: Pair): Pair = ((p._1 * a + b) % Keys, p._2 + p._1)
      Data(
        failing(data.rdd).map(p => ((p._1 * a + b) % Keys, p._2 + p._1)),
        data.oracle.map(f),
        data.isOrdered
      )
    case 1 =>
      val c = random.nextInt(3)
      note(s"filter $c")
      Data(
        data.rdd.filter(p => (p._1 + p._2) % 3 != c),
        data.oracle.filter(p => (p._1 + p._2) % 3 != c),
        data.isOrdered
      )
    case 2 =>
      note("flatMap")
      Data(
        failing(data.rdd).flatMap(p => Seq.fill((p._2 % 3).toInt)(p)),
        data.oracle.flatMap(p => Seq.fill((p._2 % 3).toInt)(p)),
        data.isOrdered
      )
    case 3 =>
      note("union")
      Data(
        data.rdd.union(other.rdd),
        data.oracle ++ other.oracle,
        data.isOrdered && other.isOrdered
      ).small
    case 4 =>
      note("reduceByKey")
      Data(failing(data.rdd).reduceByKey(_ + _, partitions()), sums(data.oracle))
    case 5 =>
      note("distinct")
      Data(data.rdd.distinct(partitions()), data.oracle.distinct)
    case 6 =>
      note("groupByKey")
      Data(
        failing(data.rdd.groupByKey(partitions()).mapValues(v => v.sum * 31 + v.size)),
        data.oracle.groupMap(_._1)(_._2).map { case (k, v) => (k, v.sum * 31 + v.size) }.toSeq
      )
    case 7 =>
      note("join")
      val joined = data.rdd
        .reduceByKey(_ + _, partitions())
        .join(other.rdd.reduceByKey(_ max _, partitions()))
        .mapValues { case (a, b) => a - b }
      val right = other.oracle.groupMapReduce(_._1)(_._2)(_ max _)
      val oracle = sums(data.oracle).collect {
        case (k, v) if right.contains(k) => (k, v - right(k))
      }
      Data(failing(joined), oracle)
    case 8 =>
      note("cogroup")
      val grouped = data.rdd
        .cogroup(other.rdd, partitions())
        .mapValues { case (a, b) => a.sum - b.sum + a.size * 7 + b.size }
      val (a, b) = (data.oracle.groupMap(_._1)(_._2), other.oracle.groupMap(_._1)(_._2))
      val oracle = (a.keySet ++ b.keySet).toSeq.map { k =>
        val (left, right) = (a.getOrElse(k, Seq.empty), b.getOrElse(k, Seq.empty))
        (k, left.sum - right.sum + left.size * 7 + right.size)
      }
      Data(grouped, oracle)
    case 9 =>
      note("repartition")
      Data(failing(data.rdd).repartition(partitions()), data.oracle)
    case 10 =>
      note("persist")
      val kept = data.rdd.map(identity).persist(StorageLevel.MEMORY_AND_DISK)
      persisted += kept
      Data(kept, data.oracle, data.isOrdered)
    case _ =>
      note("broadcast")
      val table = sc.broadcast(sums(other.oracle).toMap)
      Data(
        failing(data.rdd).map { case (k, v) => (k, v + table.value.getOrElse(k, 0L)) },
        data.oracle.map { case (k, v) => (k, v + table.value.getOrElse(k, 0L)) },
        data.isOrdered
      )
  }

  private def sums(pairs: Seq[Pair]): Seq[Pair] = pairs.groupMapReduce(_._1)(_._2)(_ + _).toSeq

  private def check(data: Data): Unit = random.nextInt(10) match {
    case 0 =>
      note("collect")
      val all = data.rdd.collect().toSeq
      if (data.isOrdered) {
        same(all, data.oracle)
      }
      same(all.sorted, data.oracle.sorted)
    case 1 =>
      note("sortByKey")
      val isUp = random.nextBoolean()
      val sorted = data.rdd.sortByKey(isUp, partitions()).collect().toSeq
      val keys = data.oracle.map(_._1).sorted
      same(sorted.map(_._1), if (isUp) keys else keys.reverse)
      same(sorted.sorted, data.oracle.sorted)
    case 2 =>
      note("count, at once with others")
      val counts = Seq.fill(4)(failing(data.rdd).countAsync())
      counts.foreach(count => same(count.get(), data.oracle.size.toLong))
    case 3 =>
      note("accumulators")
      val (records, sum) = (sc.longAccumulator, sc.doubleAccumulator)
      failing(data.rdd).foreach { p =>
        records.add(1)
        sum.add(p._2.toDouble)
      }
      same(records.value, data.oracle.size.toLong)
      same(sum.value, data.oracle.map(_._2.toDouble).sum)
    case 4 =>
      note("take")
      val taken = data.rdd.take(7).toSeq
      if (data.isOrdered) {
        same(taken, data.oracle.take(7))
      }
      same(taken.length, math.min(7, data.oracle.size))
      same(taken.forall(data.oracle.contains), true)
    case 5 =>
      note("several actions, counted")
      val counter = sc.longAccumulator
      val counted = failing(data.rdd).map { p =>
        counter.add(1)
        p
      }
      same(counted.count(), data.oracle.size.toLong)
      val sums = counted.reduceByKey(_ + _, partitions())
      same(sums.collect().toSeq.sorted, this.sums(data.oracle).sorted)
      // Its maps are not computed again.
      same(sums.count(), this.sums(data.oracle).size.toLong)
      same(counted.map(_._2).fold(0L)(_ + _), data.oracle.map(_._2).sum)
      if (!losesExecutors) {
        same(counter.value, 3L * data.oracle.size)
      }
    case 6 =>
      note("persisted between actions")
      val kept = failing(data.rdd).filter(_._2 % 2 == 0).persist(StorageLevel.MEMORY_ONLY)
      val oracle = data.oracle.filter(_._2 % 2 == 0)
      same(kept.count(), oracle.size.toLong)
      val keys = sc.broadcast(kept.map(_._1).collect().toSet)
      same(keys.value.toSeq.sorted, oracle.map(_._1).distinct.sorted)
      same(
        data.rdd.filter(p => keys.value(p._1)).count(),
        data.oracle.count(p => oracle.exists(_._1 == p._1)).toLong
      )
      kept.unpersist(blocking = true)
      keys.destroy()
      same(kept.collect().toSeq.sorted, oracle.sorted)
    case 7 =>
      note("partitions")
      val all = data.rdd.glom().collect().toSeq.map(_.toSeq)
      same(all.flatten.sorted, data.oracle.sorted)
      seen += s"${all.size} partitions"
      if (data.isOrdered) {
        same(all.flatten, data.oracle)
        seen += all.mkString("|")
      }
    case 8 =>
      note("zipWithIndex and sample")
      same(
        data.rdd.zipWithIndex().map(_._2).collect().toSeq,
        data.oracle.indices.map(_.toLong)
      )
      if (data.isOrdered) {
        seen += data.rdd.sample(withReplacement = false, 0.5, 3L).collect().mkString(" ")
      }
    case _ =>
      val (leaves, depth) = (1 + random.nextInt(20), 1 + random.nextInt(4))
      val onExecutor = random.nextBoolean()
      note(s"treeAggregate of $leaves, $depth deep")
      val add = (a: Long, b: Long) => a + b
      val sum = failing(data.rdd.repartition(leaves))
        .treeAggregate[Long](
          0L,
          (a: Long, p: Pair) => a + p._2 * (p._1 + 1),
          add,
          depth,
          onExecutor
        )
      same(sum, data.oracle.map(p => p._2 * (p._1 + 1)).sum)
  }

  /** Some of its tasks fail at their first attempt, half way. */
  private def failing(rdd: RDD[Pair]): RDD[Pair] = if (random.nextInt(4) > 0) {
    rdd
  } else {
    val salt = random.nextInt(3)
    note(s"with failures in partitions $salt + 3 n")
    RandomProgram.failingAtFirst(rdd, salt)
  }

  private def note(what: String): Unit = steps += what

  private def same(actual: Any, expected: Any): Unit = {
    seen += actual.toString
    if (actual != expected) {
      throw new AssertionError(
        s"Program $seed: $actual instead of $expected after ${steps.mkString(", ")}"
      )
    }
  }
}

private[drizzle] object RandomProgram {

  /** The tasks of partitions `salt + 3 n` fail at their first attempt, half way. */
  def failingAtFirst(rdd: RDD[Pair], salt: Int): RDD[Pair] =
    rdd.mapPartitionsWithIndex(
      (index, pairs) => {
        val fails = index % 3 == salt && TaskContext.get().attemptNumber() == 0
        pairs.zipWithIndex.map { case (pair, i) =>
          require(!fails || i < 3, "This task is meant to fail")
          pair
        }
      },
      preservesPartitioning = true
    )

  type Pair = (Int, Long)

  private val Keys = 17

  /** @param isOrdered whether Spark defines the records' order */
  private final case class Data(rdd: RDD[Pair], oracle: Seq[Pair], isOrdered: Boolean = false) {

    /** Lest many steps together make very many records. */
    def small: Data = if (oracle.size <= 2000) {
      this
    } else {
      Data(rdd.filter(_._1 % 3 == 0), oracle.filter(_._1 % 3 == 0), isOrdered)
    }
  }
}
