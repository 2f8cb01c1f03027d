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

import java.io.{Externalizable, ObjectInput, ObjectOutput, ObjectOutputStream}
import java.nio.file.Path

import scala.collection.concurrent.TrieMap
import scala.collection.immutable.{ArraySeq, BitSet, Queue, TreeMap}
import scala.concurrent.Promise
import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration

import org.apache.spark.{HashPartitioner, Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.util.{SerializableConfiguration, StatCounter}
import org.apache.spark.util.random.BernoulliSampler
import org.apache.spark.util.sketch.{BloomFilter, CountMinSketch}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.io.TempDir

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CarriedStateTest {
  private var sc: CarriedStateTest.Recording = _

  @BeforeAll
  def start(): Unit = sc = new CarriedStateTest.Recording

  @AfterAll
  def stop(): Unit = if (sc != null) sc.stop()

  private def why(roots: AnyRef*): String = CarriedState.whyChangeable(roots: _*).getOrElse("")

  private def pairs: RDD[(Int, Long)] = sc.parallelize(0 until 20, 2).map(i => (i % 7, i.toLong))

  /** What reads an RDD through a shuffle. */
  private val shuffles: Seq[RDD[(Int, Long)] => RDD[_]] = Seq(
    _.reduceByKey(_ + _),
    _.groupByKey().mapValues(_.size),
    _.partitionBy(new HashPartitioner(3)),
    rdd => rdd.cogroup(pairs),
    rdd => pairs.join(rdd).values,
    _.repartition(3),
    _.reduceByKey(_ + _).coalesce(1),
    _.reduceByKey(_ + _).map(_.swap).reduceByKey(_ + _),
    rdd => rdd.reduceByKey(_ + _).union(pairs)
  )

  @Test
  def whatIsTakenAlongInFrontOfAShuffleIsSeen(@TempDir directory: Path): Unit = {
    var base = 0L
    val counter = sc.longAccumulator
    sc.setCheckpointDir(directory.toString)
    val checkpointed = pairs
    checkpointed.checkpoint()
    val cases: Seq[(String, RDD[(Int, Long)])] = Seq(
      "LongRef" -> pairs.mapValues(_ + base),
      "LongAccumulator" -> pairs.map { pair => counter.add(1); pair },
      "to be checkpointed" -> checkpointed
    )
    for ((what, rdd) <- cases; (shuffle, i) <- shuffles.zipWithIndex)
      assertThat(s"$i: ${why(shuffle(rdd))}").contains(what)
    base += 1
  }

  @Test
  def whatIsPersistedOrHasBeenCheckpointedMayBeTakenAlong(@TempDir directory: Path): Unit = {
    sc.setCheckpointDir(directory.toString)
    val checkpointed = pairs.persist()
    checkpointed.checkpoint()
    assertThat(checkpointed.count()).isEqualTo(20)
    for (rdd <- Seq(pairs.persist(), checkpointed, checkpointed.mapValues(_ + 1).persist()))
      assertThat(why(rdd)).isEmpty()
  }

  @Test
  def whatCannotChangeInFrontOfAShuffleMayBeTakenAlong(): Unit = {
    val least = 3L
    for ((shuffle, i) <- shuffles.zipWithIndex) {
      val rdd = shuffle(new CarriedStateTest.Own(pairs.filter(_._2 > least)))
      assertThat(s"$i: ${why(rdd)}").isEqualTo(s"$i: ")
      // Jobs leave something in RDDs.
      rdd.count()
      assertThat(s"$i: ${why(rdd)}").isEqualTo(s"$i: ")
    }
  }

  @Test
  def anArrayCanChangeWhateverHoldsIt(): Unit = {
    val array = Array(1.0)
    val many = 100
    val holders: Seq[AnyRef] = Seq(
      (1, array),
      Some(array),
      Right(array),
      List[Any]("first", array),
      Vector(array),
      Vector.fill(many * many)("one") :+ array,
      ArraySeq[Any]("first", array),
      Set(array),
      Map(1 -> array),
      (0 to many).map(i => s"key $i" -> array).toMap,
      (0 to many).map(i => Array(i)).toSet,
      TreeMap(1 -> array),
      Queue(array),
      Vector(Some(List(array)))
    )
    for (holder <- holders) {
      assertThat(why(holder)).contains("holds an array")
      assertThat(why((i: Int) => (i, holder))).contains("holds an array")
    }
  }

  @Test
  def whatAnActionIsGivenIsInAFunctionOfSparks(): Unit = {
    pairs.values.aggregate(Array(1.0))((sums, _) => sums, (sums, _) => sums)
    assertThat(why(sc.function)).contains("holds an array")
    pairs.values.aggregate(1.0)(_ + _, _ + _)
    assertThat(why(sc.function)).isEmpty()
  }

  @Test
  def arraysThatImmutableCollectionsAreMadeOfCannotChange(): Unit = {
    val many = 1000
    val unchanging: Seq[AnyRef] = Seq(
      Vector.range(0, many),
      Vector.tabulate(many)(i => s"word $i"),
      Vector.fill(many)(Vector[Any]("word", 1)),
      ArraySeq(1, 2, 3),
      ArraySeq("one", "two"),
      (0 to many).map(i => s"key $i" -> i).toMap,
      (0 to many).map(i => s"key $i").toSet,
      BitSet(1, many),
      List(Map(1 -> Some(2L))),
      pairs.repartition(2),
      pairs.aggregateByKey(0L)(_ + _, _ + _)
    )
    unchanging.zipWithIndex.foreach { case (value, i) =>
      assertThat(s"$i: ${why(value)}").isEqualTo(s"$i: ")
    }
  }

  @Test
  def aClassOfSparksOrScalasCanChangeLikeAnyOther(): Unit = {
    val changing: Seq[AnyRef] = Seq(
      TrieMap(1 -> 2),
      new StatCounter,
      BloomFilter.create(10),
      CountMinSketch.create(0.1, 0.9, 1),
      new BernoulliSampler[Int](0.5),
      new SerializableConfiguration(new Configuration(false)),
      Promise.successful(1)
    )
    for (value <- changing) {
      val name = value.getClass.getSimpleName
      assertThat(why((i: Int) => (i, value))).as(name).contains(name)
    }
    assertThat(why(pairs.sample(withReplacement = false, 0.5).reduceByKey(_ + _))).isEmpty()
    assertThat(why(pairs.sample(withReplacement = true, 0.5).reduceByKey(_ + _))).isEmpty()
    assertThat(why(pairs.reduceByKey(_ + _).randomSplit(Array(0.5, 0.5)).head)).isEmpty()
  }

  @Test
  def whatIsWrittenInItsOwnWayMayTakeAlongWhatIsTransient(): Unit = {
    val changing: Seq[AnyRef] = Seq(
      new CarriedStateTest.Writing,
      new CarriedStateTest.WritingMore,
      new CarriedStateTest.Replacing,
      new CarriedStateTest.External
    )
    for (value <- changing)
      assertThat(why((i: Int) => (i, value))).contains("is written in its own way")
    val unchanging: Seq[AnyRef] = Seq(new CarriedStateTest.Leaving, CarriedStateTest.Named)
    for (value <- unchanging) assertThat(why((i: Int) => (i, value))).isEmpty()
  }

  /** As that of a state that every batch has added to. */
  @Test
  def aLongLineageIsLookedAtOnce(): Unit = {
    var base = 0L
    def grown(first: RDD[(Int, Long)]) =
      (1 to 200).foldLeft(first)((rdd, _) => rdd.union(rdd).reduceByKey(_ + _, 2))
    assertThat(why(grown(pairs))).isEmpty()
    assertThat(why(grown(pairs.mapValues(_ + base)))).contains("LongRef")
    base += 1
  }
}

private object CarriedStateTest {

  final class Recording extends SparkContext("local[1]", "test") {

    /** What the last job did with each partition. */
    @volatile var function: AnyRef = _

    override def runJob[T, U: ClassTag](
        rdd: RDD[T],
        func: (TaskContext, Iterator[T]) => U,
        partitions: Seq[Int],
        resultHandler: (Int, U) => Unit
    ): Unit = {
      function = func
      super.runJob(rdd, func, partitions, resultHandler)
    }
  }

  class Writing extends Serializable {
    @transient private var n = 1

    private def writeObject(to: ObjectOutputStream): Unit = { n += 1; to.writeInt(n) }
  }

  final class WritingMore extends Writing

  final class Replacing extends Serializable {
    @transient private var n = 1

    private def writeReplace(): AnyRef = { n += 1; Int.box(n) }
  }

  final class External extends Externalizable {
    @transient private var n = 1

    override def writeExternal(to: ObjectOutput): Unit = { n += 1; to.writeInt(n) }

    override def readExternal(from: ObjectInput): Unit = n = from.readInt()
  }

  /** Nothing but its class is written. */
  final class Leaving extends Serializable {
    @transient lazy val n: Int = hashCode
  }

  object Named extends Serializable {
    @transient lazy val n: Int = hashCode
  }

  /** An RDD of an application's. */
  final class Own(rdd: RDD[(Int, Long)]) extends RDD[(Int, Long)](rdd) {
    override def compute(split: Partition, context: TaskContext): Iterator[(Int, Long)] =
      rdd.iterator(split, context)

    override protected def getPartitions: Array[Partition] = rdd.partitions
  }
}
