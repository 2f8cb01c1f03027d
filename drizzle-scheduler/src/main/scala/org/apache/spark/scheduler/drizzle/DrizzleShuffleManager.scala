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

import java.io.{File, IOException}
import java.nio.file.Files
import java.util.Optional
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.{
  MapOutputTrackerWorker,
  ShuffleDependency,
  SparkConf,
  SparkEnv,
  TaskContext
}
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.{
  SHUFFLE_IO_PLUGIN_CLASS,
  SHUFFLE_MANAGER,
  SHUFFLE_SERVICE_ENABLED
}
import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.client.StreamCallbackWithID
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.shuffle.{
  BaseShuffleHandle,
  IndexShuffleBlockResolver,
  ShuffleBlockInfo,
  ShuffleHandle,
  ShuffleReadMetricsReporter,
  ShuffleReader,
  ShuffleWriteMetricsReporter,
  ShuffleWriter
}
import org.apache.spark.shuffle.api.{
  ShuffleDataIO,
  ShuffleDriverComponents,
  ShuffleExecutorComponents,
  ShuffleMapOutputWriter,
  SingleSpillShuffleMapOutputWriter
}
import org.apache.spark.shuffle.sort.{SortShuffleManager, SortShuffleWriter}
import org.apache.spark.shuffle.sort.io.{LocalDiskShuffleDataIO, LocalDiskShuffleExecutorComponents}
import org.apache.spark.storage.{BlockId, ShuffleBlockBatchId, ShuffleBlockId}
import org.apache.spark.storage.{ShuffleDataBlockId, ShuffleIndexBlockId}
import org.apache.spark.util.collection.RarelyMeasured

/** An executor's SortShuffleManager, whose small map outputs stay in memory. A micro-batch writes and
  * reads many of them, and most of the time that this takes is for opening files.
  */
final class DrizzleShuffleManager(conf: SparkConf) extends SortShuffleManager(conf) {
  private[drizzle] val outputs = new SmallOutputs(
    conf.get(DrizzleKeys.MapOutputsInMemory),
    (id, output, checksums) => DrizzleShuffleManager.write(conf, id, output, checksums)
  )

  private val resolver = new SmallOutputResolver(conf, outputs)

  override val shuffleBlockResolver: IndexShuffleBlockResolver = resolver

  private lazy val mayMeasureRarely =
    try {
      RarelyMeasured.check()
      DrizzleShuffleManager.AggregatorField
      true
    } catch {
      case e: ReflectiveOperationException =>
        logInfo(s"Maps are measured as often as Spark does: it has no ${e.getMessage}")
        false
    }

  override def getWriter[K, V](
      handle: ShuffleHandle,
      mapId: Long,
      context: TaskContext,
      metrics: ShuffleWriteMetricsReporter
  ): ShuffleWriter[K, V] = (super.getWriter[K, V](handle, mapId, context, metrics), handle) match {
    case (stock: SortShuffleWriter[K, V, _], combining: BaseShuffleHandle[_, _, _])
        if combining.dependency.mapSideCombine && mayMeasureRarely =>
      new RarelyMeasured.Writer[K, V](stock)
    case (stock, _) => stock
  }

  override def getReader[K, C](
      handle: ShuffleHandle,
      startMapIndex: Int,
      endMapIndex: Int,
      startPartition: Int,
      endPartition: Int,
      context: TaskContext,
      metrics: ShuffleReadMetricsReporter
  ): ShuffleReader[K, C] = {
    handle match {
      case base: BaseShuffleHandle[_, _, _] if mayMeasureRarely =>
        DrizzleShuffleManager.measureRarely(base.dependency)
      case _ =>
    }
    super.getReader(
      handle,
      startMapIndex,
      endMapIndex,
      startPartition,
      endPartition,
      context,
      metrics
    )
  }

  override def unregisterShuffle(shuffleId: Int): Boolean = {
    resolver.removeMoved(shuffleId)
    super.unregisterShuffle(shuffleId)
  }
}

private[drizzle] object DrizzleShuffleManager extends Logging {

  /** Has this executor use it, if it has Spark's own manager and files that nobody else reads. To be
    * called before tasks come.
    */
  def install(conf: SparkConf): Unit =
    if (
      conf.get(SHUFFLE_MANAGER) == SHUFFLE_MANAGER.defaultValue.get &&
      conf.get(SHUFFLE_IO_PLUGIN_CLASS) == SHUFFLE_IO_PLUGIN_CLASS.defaultValue.get &&
      !conf.get(SHUFFLE_SERVICE_ENABLED) &&
      conf.get(DrizzleKeys.MapOutputsInMemory) > 0
    ) {
      try
        ShuffleManagerInUse.change {
          conf.set(SHUFFLE_MANAGER, classOf[DrizzleShuffleManager].getName)
          conf.set(SHUFFLE_IO_PLUGIN_CLASS, classOf[SmallOutputDataIO].getName)
        }
      catch {
        case e: ReflectiveOperationException =>
          logInfo(s"Small map outputs go to files: this Spark has no ${e.getMessage}")
      }
    }

  private lazy val AggregatorField =
    Private.field(classOf[ShuffleDependency[_, _, _]], "aggregator")

  /** @param dependency a task's own, which it has just read */
  private def measureRarely[K, V, C](dependency: ShuffleDependency[K, V, C]): Unit =
    dependency.aggregator match {
      case None | Some(_: RarelyMeasured.Reducing[_, _, _]) =>
      case Some(stock) =>
        AggregatorField.set(dependency, Some(new RarelyMeasured.Reducing(stock)))
    }

  /** What this executor has in memory, if it may have anything there. */
  def outputs: Option[SmallOutputs] = SparkEnv.get.shuffleManager match {
    case manager: DrizzleShuffleManager => Some(manager.outputs)
    case _                              => None
  }

  def write(
      conf: SparkConf,
      id: SmallOutputs.Id,
      output: SmallOutput,
      checksums: Array[Long]
  ): Unit = {
    val components = new LocalDiskShuffleExecutorComponents(conf)
    components.initializeExecutor(conf.getAppId, SparkEnv.get.executorId, java.util.Map.of())
    val writer = components.createMapOutputWriter(id.shuffleId, id.mapId, output.numPartitions)
    try {
      output.copyTo(writer, output.numPartitions, Sink.ofStream)
      writer.commitAllPartitions(checksums)
    } catch {
      case NonFatal(e) =>
        writer.abort(e)
        throw e
    }
  }
}

/** Spark's resolver, which finds what is in memory, too. */
private[drizzle] final class SmallOutputResolver(conf: SparkConf, outputs: SmallOutputs)
    extends IndexShuffleBlockResolver(conf)
    with Logging {

  /** What other executors have copied here, by shuffle. */
  private val moved = new ConcurrentHashMap[Int, java.util.Set[Long]]

  override def getBlockData(block: BlockId, dirs: Option[Array[String]]): ManagedBuffer = {
    val (id, from, until) = block match {
      case one: ShuffleBlockId =>
        (SmallOutputs.Id(one.shuffleId, one.mapId), one.reduceId, one.reduceId + 1)
      case batch: ShuffleBlockBatchId =>
        val id = SmallOutputs.Id(batch.shuffleId, batch.mapId)
        (id, batch.startReduceId, batch.endReduceId)
      case _ => (SmallOutputs.Id(-1, -1), 0, 0)
    }
    outputs.get(id) match {
      case Some(output) => new NioManagedBuffer(output.partitions(from, until))
      case None =>
        try super.getBlockData(block, dirs)
        catch {
          // It may be in the memory of an executor on this host, whose files these directories hold.
          case e: IOException if dirs.isDefined => fromOwner(block, id, e)
        }
    }
  }

  private def fromOwner(block: BlockId, id: SmallOutputs.Id, cause: IOException): ManagedBuffer = {
    val env = SparkEnv.get
    val owner = env.mapOutputTracker match {
      case tracker: MapOutputTrackerWorker =>
        PinnedOutputs.ownerOf(tracker, id.shuffleId, id.mapId)
      case _ => None
    }
    owner match {
      case None => throw cause
      case Some(at) =>
        val content = new OwnersBuffer
        env.blockManager.blockTransferService
          .fetchBlocks(at.host, at.port, at.executorId, Array(block.name), content, null)
        content
    }
  }

  override def removeDataByMap(shuffleId: Int, mapId: Long): Unit = {
    outputs.remove(SmallOutputs.Id(shuffleId, mapId))
    super.removeDataByMap(shuffleId, mapId)
  }

  /** Asked when the executor is to go and its outputs with it: their files are copied. */
  override def getStoredShuffles(): Seq[ShuffleBlockInfo] = {
    outputs.flush()
    super.getStoredShuffles()
  }

  /** Another executor is to go, and copies a file here. Spark's manager would tell only a resolver of its own which it is
    * to remove.
    */
  override def putShuffleBlockAsStream(
      block: BlockId,
      serializers: SerializerManager
  ): StreamCallbackWithID = {
    block match {
      case ShuffleIndexBlockId(shuffleId, mapId, _) => isMoved(shuffleId, mapId)
      case ShuffleDataBlockId(shuffleId, mapId, _)  => isMoved(shuffleId, mapId)
      case _                                        =>
    }
    super.putShuffleBlockAsStream(block, serializers)
  }

  private def isMoved(shuffleId: Int, mapId: Long): Unit =
    moved.computeIfAbsent(shuffleId, _ => ConcurrentHashMap.newKeySet[Long]()).add(mapId)

  /** Nobody reads a shuffle's outputs any more, among them those that other executors have copied here. */
  def removeMoved(shuffleId: Int): Unit =
    Option(moved.remove(shuffleId)).foreach(_.forEach(removeDataByMap(shuffleId, _)))
}

/** Spark's files for map outputs, without those for small ones. */
final class SmallOutputDataIO(conf: SparkConf) extends ShuffleDataIO {
  override def executor(): ShuffleExecutorComponents = new SmallOutputComponents(
    conf,
    conf.get(DrizzleKeys.MapOutputInMemory).toInt,
    DrizzleShuffleManager.outputs.getOrElse(
      throw new IllegalStateException(s"${SHUFFLE_MANAGER.key} is not Freshet's")
    )
  )

  override def driver(): ShuffleDriverComponents = new LocalDiskShuffleDataIO(conf).driver()
}

/** @param most how many bytes are small, with what tells where partitions end */
private[drizzle] final class SmallOutputComponents(
    conf: SparkConf,
    most: Int,
    outputs: SmallOutputs
) extends LocalDiskShuffleExecutorComponents(conf) {

  override def createMapOutputWriter(
      shuffleId: Int,
      mapId: Long,
      numPartitions: Int
  ): ShuffleMapOutputWriter = {
    def stock = super.createMapOutputWriter(shuffleId, mapId, numPartitions)
    val left = most - SmallOutput.indexLength(numPartitions)
    if (left < 0) {
      stock
    } else {
      new SmallOutputWriter(
        numPartitions,
        left.toInt,
        stock,
        (output, checksums) => outputs.add(SmallOutputs.Id(shuffleId, mapId), output, checksums)
      )
    }
  }

  override def createSingleFileMapOutputWriter(
      shuffleId: Int,
      mapId: Long
  ): Optional[SingleSpillShuffleMapOutputWriter] = {
    val stock = super.createSingleFileMapOutputWriter(shuffleId, mapId)
    Optional.of((file: File, lengths: Array[Long], checksums: Array[Long]) =>
      if (file.length() + SmallOutput.indexLength(lengths.length) > most) {
        stock.get.transferMapSpillFile(file, lengths, checksums)
      } else {
        val ends = lengths.scanLeft(0L)(_ + _).tail.map(_.toInt)
        val output = new SmallOutput(Files.readAllBytes(file.toPath), ends)
        outputs.add(SmallOutputs.Id(shuffleId, mapId), output, checksums)
        Files.delete(file.toPath)
      }
    )
  }
}
