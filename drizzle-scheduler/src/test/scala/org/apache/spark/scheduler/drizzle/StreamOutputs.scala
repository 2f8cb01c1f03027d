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

import java.nio.file.{Files, Path}
import java.nio.file.StandardOpenOption.{APPEND, CREATE}

import scala.concurrent.Await
import scala.concurrent.duration.DurationInt

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.UnionRDD
import org.apache.spark.streaming.Time
import org.apache.spark.streaming.dstream.DStream
import org.apache.spark.util.LongAccumulator

/** Output operations of [[RandomStreams]]. Each is written as an application would write it, since what may begin
  * early is found in its function's code; and each says in the driver what it has seen, in the order in
  * which it comes to that.
  */
private[drizzle] object StreamOutputs {
  import RandomStreams.{Pair, Seen, Variable}

  def collected(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val all = rdd.collect()
    see(time, op, sorted(all))
  }

  /** For streams whose partitions and order Spark defines. */
  def inOrder(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val all = rdd.glom().collect()
    see(time, op, all.map(_.mkString(" ")).mkString("|"))
  }

  def begun(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    if (rdd.isEmpty()) {
      see(time, op, "nothing")
    } else {
      see(time, op, s"${rdd.first()}, and ${rdd.take(4).mkString(" ")}")
    }
  }

  def counted(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.count()
    see(time, op, s"$n")
  }

  /** @param by what tasks of this or another stream have added to */
  def counted(of: DStream[Pair], op: Int, by: LongAccumulator): Unit = of.foreachRDD {
    (rdd, time) =>
      val n = rdd.count()
      see(time, op, s"$n, ${by.value} were counted")
  }

  /** @param variable what tasks of this or another stream read */
  def changes(of: DStream[Pair], op: Int, variable: Variable): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.count()
    see(time, op, s"$n, after ${variable.value}")
    variable.value = n % 7
  }

  def reduced(of: DStream[Pair], op: Int, partitions: Int): Unit = of.foreachRDD { (rdd, time) =>
    val sums = rdd.filter(_._2 % 4 != 0).reduceByKey(_ + _, partitions).collect()
    see(time, op, sorted(sums))
  }

  def several(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.count()
    see(time, op, s"$n")
    val keys = rdd.map(_._1).distinct().count()
    val sums = rdd.reduceByKey(_ + _).collect()
    see(time, op, s"$keys: ${sorted(sums)}")
  }

  def total(of: DStream[Pair], op: Int, total: Variable): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.count()
    total.value += n
    val rest = rdd.filter(_._2 % 3 != total.value % 3).count()
    see(time, op, s"${total.value}, $rest")
  }

  def totalBefore(of: DStream[Pair], op: Int, total: Variable): Unit = of.foreachRDD {
    (rdd, time) =>
      total.value += rdd.count()
      see(time, op, s"${total.value}")
  }

  def limited(of: DStream[Pair], op: Int, limit: Variable): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.filter(_._2 % 5 >= limit.value).count()
    see(time, op, s"$n")
    limit.value = n % 5
  }

  def adds(of: DStream[Pair], op: Int, added: LongAccumulator): Unit = of.foreachRDD {
    (rdd, time) =>
      val adding = rdd.map { p =>
        added.add(p._2)
        p
      }
      val n = adding.count()
      see(time, op, s"$n, ${added.value}")
      val again = adding.reduceByKey(_ + _, 2).count()
      see(time, op, s"$again, ${added.value}")
  }

  def addsLater(of: DStream[Pair], op: Int, added: LongAccumulator): Unit = of.foreachRDD {
    (rdd, time) =>
      val n = rdd.count()
      val before = added.value
      rdd.foreach(p => added.add(p._2))
      see(time, op, s"$n, ${added.value} after $before")
  }

  def filtered(of: DStream[Pair], op: Int, keys: Broadcast[Set[Int]]): Unit = of.foreachRDD {
    (rdd, time) =>
      val all = rdd.filter(p => keys.value(p._1 % 7)).collect()
      see(time, op, sorted(all))
  }

  def broadcasts(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val keys = rdd.filter(_._2 % 2 == 0).map(_._1).collect()
    val table = rdd.sparkContext.broadcast(keys.toSet)
    val n = rdd.filter(p => table.value(p._1)).count()
    table.destroy()
    see(time, op, s"${keys.length}, $n")
  }

  def cached(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val kept = rdd.mapValues(_ * 2).cache()
    val n = kept.count()
    see(time, op, s"$n: ${sorted(kept.collect())}")
    kept.unpersist()
  }

  def aggregates(of: DStream[Pair], op: Int, depth: Int): Unit = of.foreachRDD { (rdd, time) =>
    val sum = rdd.map(_._2).fold(0L)(_ + _)
    val product = rdd.treeAggregate(0L)((a, p) => a + p._1 * p._2, _ + _, depth)
    val counts = rdd.countByKey()
    see(time, op, s"$sum, $product, ${counts.toSeq.sorted.mkString(" ")}")
  }

  def async(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val counts = Seq(rdd.countAsync(), rdd.filter(_._1 % 2 == 0).countAsync())
    see(time, op, counts.map(Await.result(_, 2.minutes)).mkString(", "))
  }

  /** In each third batch. */
  def failsAfter(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.count()
    see(time, op, s"$n")
    if (time.milliseconds % 3000 == 0) {
      throw new IllegalStateException("This operation is meant to fail")
    }
  }

  /** @param none 0, which is no number of partitions */
  def failsBefore(of: DStream[Pair], op: Int, none: Int): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd.repartition(none).count()
    see(time, op, s"$n")
  }

  /** If the batch has records. */
  def failsWithin(of: DStream[Pair], op: Int): Unit = of.foreachRDD { (rdd, time) =>
    val n = rdd
      .map { p =>
        require(!time.isMultipleOf(Four), "This task is meant to fail")
        p
      }
      .count()
    see(time, op, s"$n")
  }

  /** What tasks write is to be there in the order of batches, too. */
  def writes(of: DStream[Pair], file: String): Unit = of.foreachRDD { (rdd, time) =>
    rdd.foreachPartition { _ =>
      Files.writeString(Path.of(file), s"${time.milliseconds}\n", CREATE, APPEND)
      ()
    }
  }

  /** Each batch reads what the batch before has left in a file. `union` would ask for its partitions while the batch
    * is made, beside those that still write.
    */
  def rewrites(of: DStream[Pair], op: Int, file: String, total: Variable): Unit = of
    .transform { rdd =>
      val sc = rdd.sparkContext
      new UnionRDD(sc, Seq(rdd.map(_.toString), sc.textFile(file, 2)))
    }
    .foreachRDD { (rdd, time) =>
      total.value += rdd.count()
      see(time, op, rdd.collect().sorted.mkString(" "))
      Files.writeString(Path.of(file), (0L to total.value % 17).mkString("\n"))
    }

  private val Four = org.apache.spark.streaming.Milliseconds(4000)

  private def see(time: Time, op: Int, what: String): Unit =
    Seen.add(s"${time.milliseconds} #$op $what")

  private def sorted(pairs: Array[Pair]): String = pairs.sorted.mkString(" ")
}
