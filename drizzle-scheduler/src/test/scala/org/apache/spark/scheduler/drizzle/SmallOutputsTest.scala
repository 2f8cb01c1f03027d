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

import java.io.ByteArrayInputStream
import java.lang.ref.Reference
import java.nio.channels.Channels
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

import org.apache.spark.{SparkConf, SparkContext, SparkEnv}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.rdd.RDD
import org.apache.spark.shuffle.api.ShufflePartitionWriter
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleExecutorComponents
import org.apache.spark.storage.{BlockId, ShuffleBlockBatchId, ShuffleBlockId}

/** What is written is read again, be it in memory, on disk, or on its way from one to the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SmallOutputsTest {
  private var sc: SparkContext = _
  private var components: LocalDiskShuffleExecutorComponents = _

  @BeforeAll
  def start(): Unit = {
    val conf = new SparkConf(false)
      .setMaster("local[1]")
      .setAppName("small outputs")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
    sc = new SparkContext(conf)
    components = new LocalDiskShuffleExecutorComponents(sc.conf)
    components.initializeExecutor("small", "0", java.util.Map.of())
  }

  @AfterAll
  def stop(): Unit = sc.stop()

  @Test
  def whatIsWrittenIsRead(): Unit = for (seed <- 0 until 300) {
    val random = new Random(seed)
    val partitions = Array.fill(1 + random.nextInt(6)) {
      random.nextBytes(if (random.nextInt(3) == 0) 0 else random.nextInt(700))
    }
    val total = partitions.map(_.length).sum
    val most = random.nextInt(2000)
    val outputs = new SmallOutputs(1500, write)
    val id = SmallOutputs.Id(seed, seed.toLong)
    val writer = new SmallOutputWriter(
      partitions.length,
      most,
      components.createMapOutputWriter(id.shuffleId, id.mapId, partitions.length),
      outputs.add(id, _, _)
    )
    val inChannels = random.nextBoolean()
    for ((bytes, p) <- partitions.zipWithIndex if bytes.nonEmpty || random.nextBoolean()) {
      val partition = writer.getPartitionWriter(p)
      put(partition, bytes, inChannels, random)
      assertThat(partition.getNumBytesWritten).isEqualTo(bytes.length.toLong)
    }
    val lengths = writer.commitAllPartitions(Array.empty).getPartitionLengths

    assertThat(lengths).isEqualTo(partitions.map(_.length.toLong))
    assertThat(outputs.getOwn(id).isDefined)
      .isEqualTo(total <= most && total + 4 * partitions.length <= 1500)
    val resolver = new SmallOutputResolver(sc.conf, outputs)
    isRead(resolver, id, partitions)
    outputs.flush()
    assertThat(outputs.get(id).isDefined).isFalse
    isRead(resolver, id, partitions)
    resolver.removeDataByMap(id.shuffleId, id.mapId)
    assertThatThrownBy(() => resolver.getBlockData(ShuffleBlockId(id.shuffleId, id.mapId, 0), None))
      .isInstanceOf(classOf[java.io.IOException])
  }

  @Test
  def theOldestGoToDisk(): Unit = {
    var flushed = Vector.empty[Long]
    val outputs = new SmallOutputs(100, (id, _, _) => flushed :+= id.mapId)
    def add(mapId: Long, length: Int): Unit = outputs.add(
      SmallOutputs.Id(0, mapId),
      of(length),
      Array.empty
    )
    add(1, 60)
    add(2, 40)
    assertThat(flushed.asJava).isEmpty()
    assertThat(outputs.ownBytes).isEqualTo(100L)
    add(3, 4)
    assertThat(flushed).isEqualTo(Vector(1L))
    assertThat(outputs.ownBytes).isEqualTo(44L)
    outputs.remove(SmallOutputs.Id(0, 2))
    add(4, 96)
    assertThat(flushed).isEqualTo(Vector(1L))
    add(5, 101)
    assertThat(flushed).isEqualTo(Vector(1L, 3L, 4L, 5L))
    assertThat((1L to 5L).flatMap(m => outputs.get(SmallOutputs.Id(0, m))).asJava).isEmpty()
  }

  /** As those of a task that is run again, if its partition is its id (`spark.shuffle.useOldFetchProtocol`). */
  @Test
  def oneThatComesAgainTakesThePlaceOfTheFirst(): Unit = {
    var flushed = Vector.empty[Long]
    val outputs = new SmallOutputs(100, (id, _, _) => flushed :+= id.mapId)
    def id(mapId: Long) = SmallOutputs.Id(0, mapId)
    val again = of(50)
    outputs.add(id(1), of(40), Array.empty)
    outputs.add(id(1), again, Array.empty)
    assertThat(outputs.ownBytes).isEqualTo(50L)
    assertThat(outputs.get(id(1)).get).isSameAs(again)
    outputs.remove(id(1))
    assertThat(outputs.ownBytes).isZero
    outputs.add(id(2), of(90), Array.empty)
    assertThat(flushed.asJava).isEmpty()
  }

  /** One of one partition that takes so many bytes. */
  private def of(length: Int) = new SmallOutput(new Array(length - 4), Array(length - 4))

  /** Of many partitions with little in them, it is most of what is kept. */
  @Test
  def whatTellsWherePartitionsEndCounts(): Unit = {
    val outputs = new SmallOutputs(3000, write)
    val ids = (1L to 3L).map(SmallOutputs.Id(100, _))
    val checksums = new Array[Long](100)
    ids.take(2).foreach(outputs.add(_, new SmallOutput(Array.empty, new Array(100)), checksums))
    assertThat(outputs.size).isEqualTo(2)
    outputs.add(ids(2), new SmallOutput(Array.empty, new Array(100)), checksums)
    assertThat(outputs.size).isEqualTo(2)
    ids.foreach(outputs.remove)
    outputs.add(ids(0), new SmallOutput(new Array(3000 - 4), Array(3000 - 4)), Array.empty)
    assertThat(outputs.size).as("nothing else is left").isEqualTo(1)
  }

  @Test
  def anOutputOfTooManyPartitionsIsNotSmall(): Unit = {
    val outputs = new SmallOutputs(1 << 20, write)
    val small = new SmallOutputComponents(sc.conf, 1000, outputs)
    small.initializeExecutor("small", "0", java.util.Map.of())
    for ((partitions, bytes, isSmall) <- Seq((249, 4, true), (249, 5, false), (251, 1, false))) {
      val id = SmallOutputs.Id(101, partitions * 10L + bytes)
      val writer = small.createMapOutputWriter(id.shuffleId, id.mapId, partitions)
      val stream = writer.getPartitionWriter(1).openStream()
      stream.write(new Array[Byte](bytes))
      stream.close()
      val lengths = writer.commitAllPartitions(Array.empty).getPartitionLengths
      assertThat(lengths.sum).isEqualTo(bytes.toLong)
      assertThat(outputs.getOwn(id).isDefined).as(s"$partitions partitions").isEqualTo(isSmall)
    }
  }

  @Test
  def othersOutputsAreNotTakenWhenThereIsNoRoom(): Unit = {
    val outputs = new SmallOutputs(100, (_, _, _) => ())
    def add(mapId: Long, length: Int) = outputs
      .addAnnounced(SmallOutputs.Id(0, mapId), of(length))
    assertThat(add(1, 60)).isTrue
    assertThat(add(1, 60)).isTrue
    assertThat(add(2, 41)).isFalse
    assertThat(outputs.get(SmallOutputs.Id(0, 2)).isDefined).isFalse
    outputs.removeAnnounced(SmallOutputs.Id(0, 1))
    outputs.removeAnnounced(SmallOutputs.Id(0, 1))
    assertThat(add(2, 100)).isTrue
    assertThat(outputs.get(SmallOutputs.Id(0, 2)).isDefined).isTrue
  }

  @Test
  def whatCannotBeWrittenToDiskStaysInMemory(): Unit = {
    val outputs = new SmallOutputs(10, (_, _, _) => throw new java.io.IOException("disk full"))
    val id = SmallOutputs.Id(0, 1)
    assertThatThrownBy(() => outputs.add(id, of(11), Array.empty)).hasMessage("disk full")
    assertThat(outputs.get(id).isDefined).isTrue
  }

  @Test
  def aSingleSpillIsTakenIntoMemoryIfItIsSmall(@TempDir dir: Path): Unit = {
    val kept = new SmallOutputs(1000, write)
    for ((length, isSmall) <- Seq((90, true), (101, false))) {
      val file = Files.write(dir.resolve(s"spill$length"), Array.fill(length)(7.toByte))
      val id = SmallOutputs.Id(5000, length.toLong)
      val components = new SmallOutputComponents(sc.conf, 100, kept)
      components.initializeExecutor("small", "0", java.util.Map.of())
      components
        .createSingleFileMapOutputWriter(id.shuffleId, id.mapId)
        .get
        .transferMapSpillFile(file.toFile, Array(50L, (length - 50).toLong), Array.empty)

      assertThat(kept.getOwn(id).isDefined).isEqualTo(isSmall)
      assertThat(Files.exists(file)).isFalse
      val expected = Array(Array.fill(50)(7.toByte), Array.fill(length - 50)(7.toByte))
      isRead(new SmallOutputResolver(sc.conf, kept), id, expected)
    }
  }

  private def write(id: SmallOutputs.Id, output: SmallOutput, checksums: Array[Long]): Unit =
    DrizzleShuffleManager.write(sc.conf, id, output, checksums)

  private def put(
      to: ShufflePartitionWriter,
      bytes: Array[Byte],
      inChannel: Boolean,
      random: Random
  ): Unit = {
    val pieces = bytes.grouped(1 + random.nextInt(300)).toSeq
    if (inChannel) {
      val wrapper = to.openChannelWrapper().get
      pieces.foreach { piece =>
        Channels.newOutputStream(wrapper.channel).write(piece)
      }
      wrapper.close()
    } else {
      val stream = to.openStream()
      pieces.foreach { piece =>
        if (random.nextBoolean()) new ByteArrayInputStream(piece).transferTo(stream)
        else piece.foreach(b => stream.write(b.toInt))
      }
      stream.close()
    }
  }

  private def isRead(
      resolver: SmallOutputResolver,
      id: SmallOutputs.Id,
      partitions: Array[Array[Byte]]
  ): Unit = for (from <- partitions.indices; until <- from + 1 to partitions.length) {
    val blocks: Seq[BlockId] =
      Seq(ShuffleBlockBatchId(id.shuffleId, id.mapId, from, until)) ++
        (if (until == from + 1) Seq(ShuffleBlockId(id.shuffleId, id.mapId, from)) else Seq.empty)
    val expected = partitions.slice(from, until).flatten
    for (block <- blocks) {
      val read = resolver.getBlockData(block, None)
      assertThat(read.size).isEqualTo(expected.length.toLong)
      // Spark makes no file for nothing, and reads none.
      if (expected.nonEmpty)
        assertThat(JavaUtils.bufferToArray(read.nioByteBuffer())).isEqualTo(expected)
    }
  }
}

/** Jobs on a cluster whose executors have their small map outputs in memory. */
@Timeout(300)
final class SmallOutputsOnClusterTest {
  private var sc: SparkContext = _

  @AfterEach
  def stop(): Unit = sc.stop()

  private def counts(mod: Int, tasks: Int = 4): RDD[(Int, Int)] =
    sc.parallelize(0 until 1000, tasks).map(i => (i % mod, 1)).reduceByKey(_ + _, 3)

  private def expected(mod: Int): Map[Int, Int] =
    (0 until 1000).groupMapReduce(_ % mod)(_ => 1)(_ + _)

  /** Shuffle files and outputs in memory of all executors. */
  private def stored(): (Int, Int) = {
    val each = sc
      .parallelize(0 until 20, 20)
      .map { _ =>
        val files = SparkEnv.get.blockManager.diskBlockManager.getAllFiles()
        val id = SparkEnv.get.executorId
        val small = DrizzleShuffleManager.outputs.map(_.size).getOrElse(-1)
        Thread.sleep(20)
        (id, (files.count(_.getName.startsWith("shuffle_")), small))
      }
      .collect()
      .toMap
    assertThat(each.size).isEqualTo(2)
    (each.values.map(_._1).sum, each.values.map(_._2).sum)
  }

  @Test
  def smallOutputsNeedNoFilesAndGoWithTheirShuffle(): Unit = {
    sc = TestCluster.start()
    val rdd = counts(10)
    assertThat(rdd.collect().toMap).isEqualTo(expected(10))
    assertThat(stored()).isEqualTo((0, 4))
    def inMemory = sc
      .parallelize(0 until 2, 2)
      .map(_ => TestCluster.agentHas("mapOutputs.own.bytes"))
      .sum()
    assertThat(inMemory).isGreaterThan(0.0)

    val shuffle = rdd.dependencies.head
      .asInstanceOf[org.apache.spark.ShuffleDependency[_, _, _]]
      .shuffleId
    sc.cleaner.get.doCleanupShuffle(shuffle, blocking = true)

    assertThat(stored()).isEqualTo((0, 0))
    assertThat(inMemory).isZero()
  }

  /** Nothing is announced, so all is read from where it lies, which may be another's memory. */
  @Test
  def outputsInAnothersMemoryAreAskedFor(): Unit = {
    sc = TestCluster.start(2, "spark.freshet.drizzle.preScheduling" -> "false")
    val rdd = counts(10)
    assertThat(rdd.collect().toMap).isEqualTo(expected(10))
    assertThat(rdd.collect().toMap).isEqualTo(expected(10))
    assertThat(stored()).isEqualTo((0, 4))
  }

  /** Where an executor's files are is asked for anew each time, and what for is done on the thread that
    * receives the answer, and would receive the outputs.
    */
  @Test
  def theThreadThatReceivesNeverWaits(): Unit = {
    sc = TestCluster.start(
      2,
      "spark.freshet.drizzle.preScheduling" -> "false",
      "spark.storage.localDiskByExecutors.cacheSize" -> "0",
      // As on any other cluster.
      "spark.shuffle.readHostLocalDisk" -> "true"
    )
    for (mod <- 1 to 20)
      assertThat(counts(mod).collect().toMap).isEqualTo(expected(mod))
  }

  @Test
  def randomProgramsWhileOutputsGoToDisk(): Unit = {
    sc = TestCluster.start(
      2,
      "spark.freshet.drizzle.mapOutputs.inMemory" -> "3k",
      "spark.freshet.drizzle.mapOutputs.small" -> "1k"
    )
    for (seed <- 1000 until 1006)
      new RandomProgram(sc, seed.toLong).run()
    // What nobody refers to any more may have been cleaned up.
    val rdd = counts(97, 30)
    assertThat(rdd.collect().toMap).isEqualTo(expected(97))
    val (files, inMemory) = stored()
    assertThat(files).isGreaterThan(0)
    assertThat(inMemory).isGreaterThan(0)
    assertThat(rdd.collect().toMap).isEqualTo(expected(97))
  }

  @Test
  def withoutMemoryAllIsSparks(): Unit = {
    sc = TestCluster.start(2, "spark.freshet.drizzle.mapOutputs.inMemory" -> "0")
    val rdd = counts(10)
    assertThat(rdd.collect().toMap).isEqualTo(expected(10))
    val (files, inMemory) = stored()
    // The files go when nobody has it any more.
    Reference.reachabilityFence(rdd)
    assertThat(files).isGreaterThan(0)
    assertThat(inMemory).isEqualTo(-2)
  }
}
