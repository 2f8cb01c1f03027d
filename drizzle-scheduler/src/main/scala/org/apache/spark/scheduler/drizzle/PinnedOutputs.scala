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

import org.apache.spark.{MapOutputTrackerWorker, TaskContext}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.storage.BlockManagerId

/** An executor's map outputs with those in front of them that were announced to a task that was sent
  * ahead. Spark forgets its own at every new epoch and asks the driver, which may not know of these
  * outputs yet. No other task sees them. As safe for use by several threads as `stock` is.
  *
  * @param announced the outputs of a shuffle, by task
  * @param ofAnyTask the same of all tasks that run, by shuffle
  */
private[drizzle] final class PinnedOutputs(
    stock: mutable.Map[Int, Array[MapStatus]],
    announced: (Long, Int) => Option[Array[MapStatus]],
    ofAnyTask: Int => Iterator[Array[MapStatus]]
) extends mutable.AbstractMap[Int, Array[MapStatus]] {
  override def get(shuffleId: Int): Option[Array[MapStatus]] =
    Option(TaskContext.get())
      .flatMap(task => announced(task.taskAttemptId(), shuffleId))
      .orElse(stock.get(shuffleId))

  /** Where an output lies. Threads of the network ask for tasks whose they are not. */
  private def ownerOf(shuffleId: Int, mapId: Long): Option[BlockManagerId] =
    (get(shuffleId).iterator ++ ofAnyTask(shuffleId))
      .flatMap(PinnedOutputs.find(_, mapId))
      .nextOption()

  override def addOne(entry: (Int, Array[MapStatus])): this.type = {
    stock += entry
    this
  }

  override def subtractOne(shuffleId: Int): this.type = {
    stock -= shuffleId
    this
  }

  override def clear(): Unit = stock.clear()

  override def iterator: Iterator[(Int, Array[MapStatus])] = stock.iterator
}

private[drizzle] object PinnedOutputs {

  private lazy val MapStatuses = Private.field(classOf[MapOutputTrackerWorker], "mapStatuses")

  def check(): Unit = MapStatuses

  /** Has the executor's tracker look at announced outputs first. */
  def install(
      tracker: MapOutputTrackerWorker,
      announced: (Long, Int) => Option[Array[MapStatus]],
      ofAnyTask: Int => Iterator[Array[MapStatus]]
  ): Unit =
    MapStatuses.set(tracker, new PinnedOutputs(tracker.mapStatuses, announced, ofAnyTask))

  /** Where an output lies, as far as an executor's tracker or one of the tasks that run there knows. */
  def ownerOf(
      tracker: MapOutputTrackerWorker,
      shuffleId: Int,
      mapId: Long
  ): Option[BlockManagerId] = tracker.mapStatuses match {
    case pinned: PinnedOutputs => pinned.ownerOf(shuffleId, mapId)
    case stock                 => stock.get(shuffleId).flatMap(find(_, mapId))
  }

  private def find(statuses: Array[MapStatus], mapId: Long): Option[BlockManagerId] =
    statuses.find(status => status != null && status.mapId == mapId).map(_.location)
}
