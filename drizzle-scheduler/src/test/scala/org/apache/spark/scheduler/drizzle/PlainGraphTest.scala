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

import java.io.{Externalizable, ObjectInput, ObjectInputStream, ObjectOutput}

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.{ShuffleDependency, SparkConf, SparkContext, TaskContext}
import org.apache.spark.util.LongAccumulator
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** A copy is what Java would have read once more. */
final class PlainGraphTest {
  private def read(root: AnyRef): AnyRef =
    Wire.read[AnyRef](Wire.bytes(root.asInstanceOf[Serializable]))

  /** Makes copies of what is read from an object's bytes. */
  private def graph(root: AnyRef): PlainGraph =
    PlainGraph.of(read(root)).fold(why => throw new AssertionError(s"Not plain: $why"), identity)

  /** The oracle: what has the same bytes is the same, with all that it shares within itself. */
  private def isCopied(root: AnyRef): Unit = {
    val bytes = Wire.bytes(read(root).asInstanceOf[Serializable]).toSeq
    val copies = graph(root)
    for (_ <- 0 until 2)
      assertThat(Wire.bytes(copies.copy().asInstanceOf[Serializable]).toSeq).isEqualTo(bytes)
  }

  @Test
  def copiesAreLikeWhatIsRead(): Unit = for (seed <- 0 until 200) {
    val random = new Random(seed)
    val some = ArrayBuffer[AnyRef](null, "a", Int.box(random.nextInt()))
    for (_ <- 0 until 1 + random.nextInt(20)) some += anObject(random, some)
    some.collect { case a: Knot => a.other = any(random, some) }
    isCopied(some.toArray[AnyRef])
  }

  private def any(random: Random, some: ArrayBuffer[AnyRef]): AnyRef = some(
    random.nextInt(some.length)
  )

  private def anObject(random: Random, some: ArrayBuffer[AnyRef]): AnyRef = {
    def one = any(random, some)
    random.nextInt(12) match {
      case 0 => Array.fill[AnyRef](random.nextInt(4))(one)
      case 1 => List.fill(random.nextInt(4))(one)
      case 2 => Some(one)
      case 3 => (one, random.nextInt(), random.nextDouble())
      case 4 => new Knot(random.nextLong(), one)
      case 5 => new Heir(random.nextInt(), one)
      case 6 => Array.fill(random.nextInt(4))(random.nextInt())
      case 7 => ArrayBuffer.fill(random.nextInt(4))(one)
      case 8 =>
        val captured = one
        val same: AnyRef => Boolean = x => x == captured
        same
      case 9 =>
        val add: Int => Int = _ + 1
        add
      case 10 => Array.fill(2)(Array.fill(random.nextInt(3))(random.nextInt().toByte))
      case _  => None
    }
  }

  @Test
  def nothingThatCanChangeIsShared(): Unit = {
    val knot = new Knot(1, Array(1, 2))
    val add: Int => Long = { i =>
      knot.number += i
      knot.number
    }
    val copies = graph(Array[AnyRef](add, knot))
    def next = copies.copy().asInstanceOf[Array[AnyRef]]
    val first = next
    assertThat(first(0).asInstanceOf[Int => Long](5)).isEqualTo(6L)
    // What the function takes along is what lies beside it.
    assertThat(first(1).asInstanceOf[Knot].number).isEqualTo(6L)
    first(1).asInstanceOf[Knot].other.asInstanceOf[Array[Int]](0) = 100
    val second = next
    assertThat(second(0).asInstanceOf[Int => Long](5)).isEqualTo(6L)
    assertThat(second(1).asInstanceOf[Knot].other).isEqualTo(Array(1, 2))
  }

  @Test
  def whatIsTransientStaysEmpty(): Unit = {
    val knot = new Knot(1, "x")
    knot.forgotten = "y"
    assertThat(graph(knot).copy().asInstanceOf[Knot].forgotten).isNull()
  }

  @Test
  def whatRunsCodeWhenItIsReadIsNotPlain(): Unit = {
    val accumulator = new LongAccumulator
    val not = Seq[AnyRef](
      new Reads,
      new Resolves,
      new Inherits,
      new ReadsItself,
      new HeirOfConstructed,
      accumulator,
      new java.util.HashMap[String, String],
      new java.util.Random(1),
      java.util.List.of("a"),
      java.math.BigInteger.ONE
    )
    for (value <- not) {
      val captured = value
      val function: () => AnyRef = () => captured
      for (root <- Seq(value, Array[AnyRef]("a", Some(value)), function))
        assertThat(PlainGraph.of(root)).isEqualTo(Left(value.getClass.getName))
    }
    val many = List.fill(3000)(new Knot(1, null))
    assertThat(PlainGraph.of(many).left.getOrElse("plain")).isEqualTo("More than 2000 objects")
  }

  /** What tasks of streams and of jobs are made of most of the time. */
  @Test
  def stagesWithoutBroadcastsArePlain(): Unit = {
    val sc = new SparkContext(new SparkConf(false).setMaster("local[1]").setAppName("plain"))
    try {
      val numbers = sc.parallelize(0 until 16, 4)
      val pairs = numbers.map(i => (i % 3, i.toLong)).filter(_._2 > 3)
      val words = sc.parallelize(Seq("a b", "c")).flatMap(_.split(" ")).map((_, 1))
      val sums = pairs.reduceByKey(_ + _, 2).mapValues(_ * 2)
      val joined = words.join(words.groupByKey(3)).union(words.mapValues(i => (i, Seq(i))))
      val function = (_: TaskContext, all: Iterator[Any]) => all.size
      for (rdd <- Seq(numbers, pairs, words, sums, joined, numbers.cache())) {
        // The DAGScheduler asks, too.
        assertThat(rdd.outputDeterministicLevel).isNotNull()
        isCopied((rdd, function))
        rdd.dependencies.collect { case d: ShuffleDependency[_, _, _] => isCopied((rdd, d)) }
      }
    } finally sc.stop()
  }

  @Test
  def scalasObjectsAreThemselves(): Unit = {
    val level = DeterministicLevel.UNORDERED
    val all = graph(Array[AnyRef](level)).copy().asInstanceOf[Array[AnyRef]]
    assertThat(all(0)).isSameAs(level)
    val copy = graph((Single, Nil, None)).copy().asInstanceOf[(AnyRef, AnyRef, AnyRef)]
    assertThat(copy._1).isSameAs(Single)
    assertThat(copy._2).isSameAs(Nil)
    assertThat(copy._3).isSameAs(None)
  }

  private def sent(objects: Serializable) = StageBinary.Sent(Wire.bytes(objects))

  @Test
  def tasksOfAStageDoNotShare(): Unit = for (tasks <- Seq(1, 6)) {
    val binary = new StageObjects(sent(new Knot(1, Array(1))), tasks)
    val read = Vector.fill(5)(binary.read[Knot]())
    read.foreach { knot =>
      assertThat(knot.number).isEqualTo(1L)
      knot.number = 2
      knot.other.asInstanceOf[Array[Int]](0) = 2
    }
    assertThat(binary.read[Knot]().other).isEqualTo(Array(1))
    assertThat(read.map(System.identityHashCode).distinct.length).isEqualTo(5)
  }

  /** They can't be looked into everywhere. */
  @Test
  def lambdasOfTheJdkAreGivenToEachTask(): Unit = {
    val entries = java.util.Map.Entry.comparingByKey[String, String]().asInstanceOf[AnyRef]
    val binary = new StageObjects(sent(entries.asInstanceOf[Serializable]), 3)
    for (_ <- 0 until 3) {
      val comparator = binary.read[java.util.Comparator[java.util.Map.Entry[String, String]]]()
      assertThat(comparator.compare(java.util.Map.entry("a", "x"), java.util.Map.entry("b", "")))
        .isNegative()
    }
  }

  @Test
  def whatIsNotPlainIsReadOnceForEachTask(): Unit = {
    val binary = new StageObjects(sent(new Reads), 4)
    Reads.times = 0
    for (_ <- 0 until 4) binary.read[Reads]()
    assertThat(Reads.times).isEqualTo(4)
  }
}

private[drizzle] class Knot(var number: Long, var other: AnyRef) extends Serializable {
  @transient var forgotten: String = _
}

private[drizzle] class Heir(val small: Int, more: AnyRef) extends Knot(small.toLong, more) {
  private val flags = Array(true, false)
  def all: Seq[Boolean] = flags.toSeq
}

private[drizzle] object Single extends Serializable

private[drizzle] class Reads extends Serializable {
  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    Reads.times += 1
  }
}

private[drizzle] object Reads {
  var times = 0
}

private[drizzle] class Resolves extends Serializable {
  protected def readResolve(): AnyRef = "resolved"
}

private[drizzle] class Inherits extends Resolves

private[drizzle] class ReadsItself extends Externalizable {
  override def writeExternal(out: ObjectOutput): Unit = ()
  override def readExternal(in: ObjectInput): Unit = ()
}

private[drizzle] class Constructed {
  val made = new Object
}

private[drizzle] class HeirOfConstructed extends Constructed with Serializable
