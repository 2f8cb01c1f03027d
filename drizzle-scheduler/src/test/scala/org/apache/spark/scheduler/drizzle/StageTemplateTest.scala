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

import java.util.concurrent.atomic.LongAdder

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.rdd.RDD
import org.apache.spark.{Partition, ShuffleDependency, SparkContext, TaskContext}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What a template makes of other bytes is what Java reads from them, or nothing. */
final class StageTemplateTest {
  private val reader = new ClosureReader(getClass.getClassLoader)

  private def bytes(written: AnyRef): Array[Byte] = Wire.bytes(written.asInstanceOf[Serializable])

  private def template(of: Array[Byte]): Option[StageTemplate] =
    PlainGraph
      .of(reader.read[AnyRef](of))
      .toOption
      .flatMap(StageTemplate.of(of, _, reader.classNamed))

  /** The oracle: what has the same bytes is the same, with all that it shares within itself. */
  private def isRead(graph: PlainGraph, from: Array[Byte]): Unit =
    for (_ <- 0 until 2)
      assertThat(bytes(graph.copy())).isEqualTo(bytes(reader.read[AnyRef](from)))

  /** The same objects each time, but for numbers. */
  private def objects(seed: Int, numbers: Random): Array[AnyRef] = {
    val random = new Random(seed)
    val some = ArrayBuffer[AnyRef](null, "a", Int.box(random.nextInt()))
    def one = some(random.nextInt(some.length))
    for (_ <- 0 until 1 + random.nextInt(20))
      some += (random.nextInt(10) match {
        case 0 => Array.fill[AnyRef](random.nextInt(4))(one)
        case 1 => List.fill(random.nextInt(4))(one)
        case 2 => Vector.fill(random.nextInt(40))(one)
        case 3 => Some(one)
        case 4 => new Knot(numbers.nextLong(), one)
        case 5 => new Heir(numbers.nextInt(), one)
        case 6 => Numbers.random(numbers)
        case 7 => Array.fill(random.nextInt(4))(random.nextInt())
        case 8 =>
          val captured = one
          val same: AnyRef => Boolean = x => x == captured
          same
        case _ => ArrayBuffer.fill(random.nextInt(4))(one)
      })
    some.collect { case a: Knot => a.other = one }
    some.toArray[AnyRef]
  }

  @Test
  def numbersAreTakenFromOtherBytes(): Unit = {
    val made = for (seed <- 0 until 200) yield {
      val known = template(bytes(objects(seed, new Random(1))))
      for (found <- known; other <- 2 until 6) {
        val like = bytes(objects(seed, new Random(other.toLong)))
        val graph = found.graphOf(like)
        assertThat(graph.isDefined).isTrue()
        isRead(graph.get, like)
      }
      known
    }
    // The others have no numbers.
    assertThat(made.count(_.isDefined)).isGreaterThan(150)
  }

  /** Each byte of the stream in turn, whatever it means. */
  @Test
  def noOtherDifferenceIsTakenForANumber(): Unit = {
    var (taken, refused) = (0, 0)
    for (seed <- 0 until 30) {
      val known = bytes(objects(seed, new Random(1)))
      for (found <- template(known); i <- known.indices; flip <- Seq(1, 0x80)) {
        val other = known.clone()
        other(i) = (other(i) ^ flip).toByte
        found.graphOf(other) match {
          case Some(graph) =>
            isRead(graph, other)
            taken += 1
          case None => refused += 1
        }
      }
    }
    assertThat(taken).isGreaterThan(1000)
    assertThat(refused).isGreaterThan(10000)
  }

  @Test
  def whatSharesANumberSharesItInCopies(): Unit = {
    def root(number: Int) = {
      val heir = new Heir(number, null)
      val add: Int => Long = i => heir.number + i
      Array[AnyRef](heir, List(heir), add)
    }
    val like = bytes(root(70000))
    val graph = template(bytes(root(1))).flatMap(_.graphOf(like)).get
    val first = graph.copy().asInstanceOf[Array[AnyRef]]
    val heir = first(0).asInstanceOf[Heir]
    assertThat(heir.small).isEqualTo(70000)
    assertThat(first(1).asInstanceOf[List[AnyRef]].head).isSameAs(heir)
    heir.number = 5
    assertThat(first(2).asInstanceOf[Int => Long](1)).isEqualTo(6L)
    val second = graph.copy().asInstanceOf[Array[AnyRef]]
    assertThat(second(0).asInstanceOf[Heir].number).isEqualTo(70000L)
  }

  /** Others may look at them, or they may be shared. */
  @Test
  def numbersThatOthersReadAreNotChanged(): Unit = {
    val captured = 1
    val boxed: Int => Int = _ + captured
    val not = Seq[AnyRef](
      boxed,
      Some(Int.box(1000)),
      new Reads,
      // Where they lie depends on them.
      (0 until 10).map(i => new Heir(i, null)).toSet,
      new java.util.HashMap[AnyRef, AnyRef](java.util.Map.of(new Heir(1, null), "")),
      org.apache.spark.storage.StorageLevel.MEMORY_ONLY_SER
    )
    for (root <- not) {
      assertThat(template(bytes(root)).isEmpty).as(root.getClass.getName).isTrue()
      // What lies beside them may be.
      val known = bytes((root, new Heir(5, null)))
      for (found <- template(known)) {
        val changed = known.indices.filter { i =>
          val other = known.clone()
          other(i) = (other(i) ^ 1).toByte
          found.graphOf(other).isDefined
        }
        assertThat(changed.length).isEqualTo(java.lang.Integer.BYTES + java.lang.Long.BYTES)
      }
    }
  }

  /** Whatever is read later by other code than Java's. */
  @Test
  def numbersInWhatIsUnknownAreNotFound(): Unit = {
    def in(root: AnyRef) = {
      val known = bytes(root)
      SerializedNumbers.in(known, reader.read[AnyRef](known), reader.classNamed)
    }
    val heir = new Heir(1, null)
    assertThat(in(Array[AnyRef](heir, new Looks(null))).map(_.length)).isEqualTo(Right(2))
    assertThat(in(Array[AnyRef](heir, new Looks(heir))).isLeft).isTrue()
    assertThat(in(Array[AnyRef](new Looks(heir), heir)).map(_.length)).isEqualTo(Right(0))
    assertThat(in(Array[AnyRef](new Looks(Array[AnyRef](heir)), heir)).map(_.length))
      .isEqualTo(Right(0))
    // Where they lie depends on them.
    assertThat(in((0 until 10).map(i => new Limits(i.toLong, 0.5)).toSet).isLeft).isTrue()
  }

  @Test
  def whatIsNoStreamHasNoNumbers(): Unit = {
    val known = bytes(new Heir(1, List(new Heir(2, null))))
    val read = reader.read[AnyRef](known)
    assertThat(SerializedNumbers.in(known, read, reader.classNamed).isRight).isTrue()
    for (end <- known.indices)
      assertThat(SerializedNumbers.in(known.take(end), read, reader.classNamed).isLeft).isTrue()
    val random = new Random(1)
    for (_ <- 0 until 20000) {
      val broken = known.clone()
      for (_ <- 0 to random.nextInt(3))
        broken(random.nextInt(broken.length)) = random.nextInt().toByte
      SerializedNumbers.in(broken, read, reader.classNamed) match {
        case Right(places) =>
          places.foreach(p => assertThat(p.at >= 0 && p.end <= known.length).isTrue())
        case Left(why) => assertThat(why).isNotEmpty()
      }
    }
  }

  /** What streams' batches have in common. */
  @Test
  def stagesOfTheNextBatchAreLikeThoseBefore(): Unit = TestCluster.locally() { sc =>
    val templates = new StageTemplates(reader, new LongAdder)
    var found = 0
    var stages = 0
    // Their ids have more bits from time to time.
    for (batch <- 0 until 300; stage <- stagesOf(sc, batch)) {
      val now = bytes(stage)
      stages += 1
      templates.graphOf(now) match {
        case Some(graph) =>
          found += 1
          if (batch % 20 == 0) isRead(graph, now)
        case None => templates.read(now, isCopied = false)
      }
    }
    assertThat(stages - found).isLessThan(40)
  }

  @Test
  def partitionsOfTheNextBatchAreLikeThoseBefore(): Unit = TestCluster.locally() { sc =>
    val before = StageTemplates.partitionsFound.sum
    var count = 0
    for (batch <- 0 until 100; partition <- partitionsOf(sc, batch)) {
      val written = bytes(partition)
      val read = reader.readPartition(written)
      // Some know no more what they would have to write.
      assertThat(read).usingRecursiveComparison().isEqualTo(reader.read[AnyRef](written))
      assertThat(read).isNotSameAs(reader.readPartition(written))
      count += 2
    }
    assertThat(StageTemplates.partitionsFound.sum - before).isGreaterThan(count * 9L / 10)
  }

  /** Of a collection's: each byte of the stream in turn, whatever it means. */
  @Test
  def noOtherDifferenceOfPartitionsIsTakenForANumber(): Unit = TestCluster.locally() { sc =>
    var taken = 0
    val known = bytes(sc.parallelize(0 until 10, 2).partitions(1))
    val found = template(known).get
    for (i <- known.indices; flip <- Seq(1, 0x80)) {
      val other = known.clone()
      other(i) = (other(i) ^ flip).toByte
      for (graph <- found.graphOf(other)) {
        isRead(graph, other)
        taken += 1
      }
    }
    assertThat(taken).isGreaterThan(40)
  }

  /** Then code that nobody knows reads the elements of a collection's partition. */
  @Test
  def partitionsThatKryoHasWrittenAreRead(): Unit = TestCluster.locally(
    "spark.serializer" -> "org.apache.spark.serializer.KryoSerializer"
  ) { sc =>
    val before = StageTemplates.partitionsFound.sum
    for (batch <- 0 until 10; partition <- sc.parallelize(batch until 100, 4).partitions) {
      val written = bytes(partition)
      assertThat(bytes(reader.readPartition(written))).isEqualTo(written)
      assertThat(template(written).isEmpty).isTrue()
      assertThat(PlainGraph.of(reader.read[AnyRef](written)).isLeft).isTrue()
    }
    assertThat(StageTemplates.partitionsFound.sum).isEqualTo(before)
  }

  private def partitionsOf(sc: SparkContext, batch: Int): Seq[Partition] = {
    val range = sc.parallelize(batch until 200, 4).map(i => (i, i.toLong))
    val list = sc.parallelize(List.tabulate(20)(i => (batch + i, i.toLong)), 4)
    val sums = range.reduceByKey(_ + _, 3)
    val all = Seq[RDD[_]](
      range,
      list,
      sc.range(batch.toLong, batch + 100L, 1, 3),
      sums,
      sums.cogroup(list),
      range.union(list),
      range.coalesce(2),
      range.zipPartitions(list)((a, b) => a ++ b),
      range.zipWithIndex()
    )
    all.flatMap(_.partitions)
  }

  private def stagesOf(sc: SparkContext, batch: Int): Seq[AnyRef] = {
    val limits = new Limits(batch.toLong * 1000, batch * 0.5)
    val numbers = sc.parallelize(0 until 16, 4).map(i => (i % 3, i.toLong))
    val sums =
      numbers.filter(_._2 > limits.least).reduceByKey(_ + _, 2).mapValues(_ * limits.factor)
    val joined = numbers.join(sums, 3).union(numbers.mapValues(i => (i, limits.factor)))
    val function = (_: TaskContext, all: Iterator[Any]) => all.size
    for (rdd <- Seq[RDD[_]](numbers, sums, joined); part <- parts(rdd, function)) yield part
  }

  private def parts(rdd: RDD[_], function: AnyRef): Seq[AnyRef] = {
    val shuffles = rdd.dependencies.collect { case d: ShuffleDependency[_, _, _] =>
      Tuple2[AnyRef, AnyRef](d.rdd, d)
    }
    Tuple2[AnyRef, AnyRef](rdd, function) +: shuffles
  }

  @Test
  def whatComesOnceIsNotKept(): Unit = {
    val templates = new StageTemplates(reader, new LongAdder)
    def stage(text: String) = bytes(Array[AnyRef](text, new Heir(1, null)))
    assertThat(templates.isWanted(stage("a"))).isFalse()
    assertThat(templates.isWanted(stage("b"))).isTrue()
    assertThat(templates.isWanted(stage("of another length"))).isFalse()
    // They are all of the same length, and no template helps.
    val wanted = ('c' to 'z').map(letter => templates.isWanted(stage(letter.toString)))
    assertThat(wanted.head).isTrue()
    assertThat(wanted.last).isFalse()
    assertThat(templates.isWanted(new Array[Byte](1 << 20))).isFalse()
    assertThat(templates.isWanted(new Array[Byte](1 << 20))).isFalse()
  }

  @Test
  def stagesOfTheSameLengthHaveTemplatesOfTheirOwn(): Unit = {
    val templates = new StageTemplates(reader, new LongAdder)
    def stage(text: String, number: Int) = bytes(Array[AnyRef](text, new Heir(number, null)))
    for (text <- Seq("a", "b", "c")) {
      val first = stage(text, 1)
      templates.add(first, PlainGraph.of(reader.read[AnyRef](first)).toOption.get)
    }
    for (number <- 2 until 5; text <- Seq("a", "b", "c")) {
      val now = stage(text, number)
      isRead(templates.graphOf(now).get, now)
    }
    assertThat(templates.graphOf(stage("d", 2)).isEmpty).isTrue()
  }
}

private[drizzle] final class Limits(val least: Long, val factor: Double) extends Serializable

/** Becomes something else when it is read, which depends on what it holds. */
private[drizzle] final class Looks(at: AnyRef) extends Serializable {
  private def readResolve(): AnyRef = String.valueOf(at)
}

/** Fields of all primitive types. */
private[drizzle] final class Numbers(
    val a: Byte,
    val b: Short,
    val c: Char,
    val d: Int,
    val e: Long,
    val f: Float,
    val g: Double,
    val h: Boolean
) extends Serializable

private[drizzle] object Numbers {
  def random(r: Random): Numbers = new Numbers(
    r.nextInt().toByte,
    r.nextInt().toShort,
    r.nextInt().toChar,
    r.nextInt(),
    r.nextLong(),
    r.nextFloat(),
    r.nextDouble(),
    r.nextBoolean()
  )
}
