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
package org.apache.spark.util.collection

import org.apache.spark.{Aggregator, TaskContext}
import org.apache.spark.scheduler.drizzle.Private
import org.apache.spark.shuffle.ShuffleWriter
import org.apache.spark.shuffle.sort.SortShuffleWriter

/** A map that small tasks combine records in. Spark estimates how large its map is after the first, the
  * second, the third update and so on, and later after each tenth more, by walking over what is in
  * it; and it begins anew whenever the table has grown. With a few hundred records that takes longer
  * than all else that the task does. Here the next estimate waits until there were twice as many updates,
  * up to [[RarelyMeasured.MostUpdates]]; what comes after is as with Spark. In between, the size is
  * extrapolated, as always. Nothing else differs: not what is in the map, nor in which order.
  */
private[spark] trait RarelyMeasured[K, V] extends SizeTrackingAppendOnlyMap[K, V] {
  private var updates = 1L

  override def update(key: K, value: V): Unit = {
    super.update(key, value)
    updated()
  }

  override def changeValue(key: K, change: (Boolean, V) => V): V = {
    val value = super.changeValue(key, change)
    updated()
    value
  }

  /** Spark counts anew then. */
  override protected def growTable(): Unit = {
    super.growTable()
    updates = 1
  }

  private def updated(): Unit = {
    updates += 1
    if (updates <= RarelyMeasured.MostUpdates && (updates & (updates - 1)) == 0) {
      RarelyMeasured.NextEstimate.setLong(this, 2 * updates)
    }
  }
}

private[spark] object RarelyMeasured {

  /** That many later, the size has been estimated for the last time before Spark's own steps. */
  val MostUpdates = 512L

  private lazy val NextEstimate =
    Private.field(classOf[SizeTrackingAppendOnlyMap[_, _]], "nextSampleNum")
  private lazy val Sorter = Private.field(classOf[SortShuffleWriter[_, _, _]], "sorter")
  private lazy val SortersMap = Private.field(classOf[ExternalSorter[_, _, _]], "map")

  /** @throws ReflectiveOperationException if this Spark has not what is needed */
  def check(): Unit = {
    val _ = (NextEstimate, Sorter, SortersMap)
  }

  private final class Combined[K, V]
      extends SizeTrackingAppendOnlyMap[K, V]
      with RarelyMeasured[K, V]

  private final class Partitioned[K, V]
      extends PartitionedAppendOnlyMap[K, V]
      with RarelyMeasured[(Int, K), V]

  /** Spark's writer for map tasks that combine. */
  final class Writer[K, V](stock: SortShuffleWriter[K, V, _]) extends ShuffleWriter[K, V] {

    override def write(records: Iterator[Product2[K, V]]): Unit =
      stock.write(new Iterator[Product2[K, V]] {
        private var isFirst = true

        override def hasNext: Boolean = {
          // Now there is a sorter, and nothing in it.
          if (isFirst) {
            isFirst = false
            SortersMap.set(Sorter.get(stock), new Partitioned[K, Any])
          }
          records.hasNext
        }

        override def next(): Product2[K, V] = records.next()
      })

    override def stop(success: Boolean): Option[org.apache.spark.scheduler.MapStatus] =
      stock.stop(success)

    override def getPartitionLengths(): Array[Long] = stock.getPartitionLengths()
  }

  /** An aggregator for reduce tasks. */
  final class Reducing[K, V, C](stock: Aggregator[K, V, C])
      extends Aggregator[K, V, C](stock.createCombiner, stock.mergeValue, stock.mergeCombiners) {

    override def combineValuesByKey(
        records: Iterator[_ <: Product2[K, V]],
        context: TaskContext
    ): Iterator[(K, C)] =
      combine(
        new ExternalAppendOnlyMap[K, V, C](createCombiner, mergeValue, mergeCombiners),
        records,
        context
      )

    override def combineCombinersByKey(
        records: Iterator[_ <: Product2[K, C]],
        context: TaskContext
    ): Iterator[(K, C)] =
      combine(
        new ExternalAppendOnlyMap[K, C, C](identity, mergeCombiners, mergeCombiners),
        records,
        context
      )

    private def combine[U](
        map: ExternalAppendOnlyMap[K, U, C],
        records: Iterator[_ <: Product2[K, U]],
        context: TaskContext
    ): Iterator[(K, C)] = {
      map.currentMap = new Combined[K, C]
      map.insertAll(records)
      Option(context).map(_.taskMetrics()).foreach { metrics =>
        metrics.incMemoryBytesSpilled(map.memoryBytesSpilled)
        metrics.incDiskBytesSpilled(map.diskBytesSpilled)
        metrics.incPeakExecutionMemory(map.peakMemoryUsedBytes)
      }
      map.iterator
    }
  }
}
