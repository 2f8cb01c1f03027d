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

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.partial.{BoundedDouble, PartialResult}
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.Time
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class OutputOperationTest {
  private type Done = (RDD[(String, Int)], Time) => Unit

  private def why(done: Done): String = why(classOf[RDD[_]])(done)

  private def why(rdd: Class[_])(done: Done): String =
    OutputOperation.whyInTurn(done, rdd).getOrElse("")

  @Test
  def whatOnlyBuildsRddsUpToItsActionMayBeginEarly(): Unit = {
    val least = 3
    val begins: Seq[Done] = Seq(
      (rdd, _) => println(rdd.count()),
      (rdd, time) => { val n = rdd.count(); Seen.add(s"$time: $n") },
      (rdd, _) => { val sum = rdd.map(_._2).filter(_ > least).sum(); Seen.add(sum) },
      (rdd, _) => {
        val sums = rdd.mapValues(_.toLong).reduceByKey(_ + _, 3).collectAsMap()
        Seen.add(sums)
      },
      (rdd, _) => if (!rdd.isEmpty()) Seen.add(rdd.count()),
      (rdd, _) => { val most = rdd.values.max(); Seen.add(most) }
    )
    begins.zipWithIndex.foreach { case (done, i) =>
      assertThat(s"$i: ${why(done)}").isEqualTo(s"$i: ")
    }
  }

  @Test
  def whatReadsOrChangesSomethingBeforeMustWait(): Unit = {
    var total = 0L
    val list = new java.util.ArrayList[Long]
    val cells = Array(1)
    val small: PartialFunction[(String, Int), Int] = { case (_, i) if i < 3 => i }
    val cases: Seq[(String, Done)] = Seq(
      "LongRef" -> ((rdd, _) => total += rdd.count()),
      "ArrayList" -> ((rdd, _) => list.add(rdd.count())),
      "array" -> ((rdd, _) => cells(0) = rdd.count().toInt),
      "Seen" -> ((rdd, _) => { Seen.add("before"); Seen.add(rdd.count()) }),
      "branch" -> ((rdd, time) => if (time == null) () else Seen.add(rdd.count())),
      "foreachPartition" -> ((rdd, _) => rdd.foreachPartition(_ => ())),
      "saveAsTextFile" -> ((rdd, _) => rdd.saveAsTextFile("somewhere")),
      "take" -> ((rdd, _) => { val none = rdd.take(0); Seen.add(none) }),
      // It only builds an RDD.
      "RDD.collect" -> ((rdd, _) => { val n = rdd.collect(small).count(); Seen.add(n) }),
      "no action" -> ((rdd, _) => rdd.map(_._1).map(_.length))
    )
    cases.foreach { case (what, done) =>
      assertThat(s"$what: ${why(done)}").containsSubsequence(what, what)
    }
    assertThat(total + list.size + cells(0)).isEqualTo(1L)
  }

  @Test
  def whatIsUsedAfterTheActionMayChange(): Unit = {
    var total = 0L
    val list = new java.util.ArrayList[Long]
    val held = new OutputOperationTest.Holder
    val (wide, cells) = (3L, Array(1L))
    val begins: Seq[Done] = Seq(
      (rdd, _) => { val n = rdd.count(); total += n },
      (rdd, _) => { val n = rdd.count(); list.add(n); () },
      (rdd, _) => {
        val n = rdd.count();
        try list.add(n)
        finally cells(0) += n
      },
      // Of what is captured, longs take two places.
      (rdd, _) => { val n = rdd.filter(_._2 > wide).count(); cells(0) += n + wide },
      held.adds,
      held.addsByHelper
    )
    begins.zipWithIndex.foreach { case (done, i) =>
      assertThat(s"$i: ${why(done)}").isEqualTo(s"$i: ")
    }
    val waits: Seq[(String, Done)] = Seq(
      "ArrayList" -> ((rdd, _) => {
        val n = rdd.filter(_._2 > list.size).count(); list.add(n); ()
      }),
      "array" -> ((rdd, _) => { val n = rdd.filter(_._2 > wide + cells(0)).count(); total += n }),
      "a try" -> ((rdd, _) =>
        try { val n = rdd.map(_._2).count(); Seen.add(n) }
        catch { case e: IllegalStateException => Seen.add(e) }
      ),
      "Holder" -> held.limits
    )
    waits.foreach { case (what, done) => assertThat(why(done)).contains(what) }
    assertThat(total + list.size + cells(0)).isEqualTo(1L)
  }

  /** As those of Kafka's direct streams. */
  @Test
  def anActionThatAnRddHasOfItsOwnMayRunNoJobAndMustWait(): Unit = {
    val cases: Seq[(String, Done)] = Seq(
      "Counted.count" -> ((rdd, _) => { val n = rdd.count(); Seen.add(n) }),
      "Counted.isEmpty" -> ((rdd, _) => if (!rdd.isEmpty()) Seen.add(rdd)),
      "Counted.first" -> ((rdd, _) => { val one = rdd.first(); Seen.add(one) }),
      // Whether it is called on that RDD is not known.
      "Counted.count" -> ((rdd, _) => { val n = rdd.map(_._1).count(); Seen.add(n) })
    )
    val counted = classOf[OutputOperationTest.Counted]
    cases.foreach { case (what, done) => assertThat(why(counted)(done)).contains(what) }
    assertThat(why(counted) { (rdd, _) =>
      val all = rdd.values.collect(); Seen.add(all)
    }).isEmpty()
    // What else is built on that is not known.
    assertThat(why(classOf[OutputOperationTest.Folded]) { (rdd, _) =>
      val all = rdd.values.collect()
      Seen.add(all)
    }).contains("OutputOperationTest$Folded.")
  }

  @Test
  def whatIsNoLambdaMustWait(): Unit = {
    val done: Done = new Done {
      override def apply(rdd: RDD[(String, Int)], time: Time): Unit = { rdd.count(); () }
    }
    assertThat(why(done)).isEqualTo("the function is no lambda")
  }

  @Test
  def whatCanChangeInTheDriverIsSeenWhereverItIs(): Unit = {
    var limit = 1
    val behind: Int => Boolean = _ > limit
    val unchanging = (3, "three", Some(Vector(3L)))
    def of(roots: AnyRef*) = CarriedState.whyChangeable(roots: _*).getOrElse("")
    assertThat(of(behind.andThen(!_))).contains("IntRef")
    assertThat(of(Map("a" -> List(new java.util.HashMap[String, Int])))).contains("HashMap")
    assertThat(of(new java.util.concurrent.atomic.AtomicLong)).contains("AtomicLong")
    assertThat(of(new OutputOperationTest.Holder)).contains("Holder.held can change")
    assertThat(of(new OutputOperationTest.Fixed(Array(1)))).contains("Fixed holds an array")
    assertThat(of(unchanging, (i: Int) => i + unchanging._1)).isEmpty()
    limit += 1
  }
}

private object OutputOperationTest {
  final class Holder extends Serializable {
    var held = 1L

    val adds: (RDD[(String, Int)], Time) => Unit = (rdd, _) => { val n = rdd.count(); held += n }

    val limits: (RDD[(String, Int)], Time) => Unit =
      (rdd, _) => { val n = rdd.filter(_._2 > held).count(); held += n }

    val addsByHelper: (RDD[(String, Int)], Time) => Unit =
      (rdd, _) => { val n = rdd.map(_._2).collect().map(_ + 1); held += n.length }
  }

  abstract class Counted extends RDD[(String, Int)](null, Nil) {
    override def count(): Long = 3

    override def countApprox(timeout: Long, confidence: Double): PartialResult[BoundedDouble] =
      throw new UnsupportedOperationException

    override def take(num: Int): Array[(String, Int)] = Array.empty

    override def compute(split: Partition, context: TaskContext): Iterator[(String, Int)] =
      Iterator.empty
  }

  abstract class Folded extends RDD[(String, Int)](null, Nil) {
    override def fold(zero: (String, Int))(
        op: ((String, Int), (String, Int)) => (String, Int)
    ): (String, Int) = zero
  }

  final class Fixed(val cells: Array[Int])
}

/** What output operations leave in the driver. */
private object Seen {
  private val all = new java.util.concurrent.ConcurrentLinkedQueue[Any]

  def add(value: Any): Unit = { all.add(value); () }

  def take(): Seq[Any] = {
    val taken = all.toArray.toSeq
    all.clear()
    taken
  }
}
