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

import java.lang.reflect.Field

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.util.{AccumulatorMetadata, AccumulatorV2, LongAccumulator}

/** The metrics of a stage's tasks, of which each gets its own as if they had been deserialized with it.
  * Only the ids differ from one stage to the next. Safe for use by several threads.
  *
  * @param ids of the stage's internal accumulators, in their order
  */
private[drizzle] final class TaskMetricsTemplate(ids: Array[Long]) {
  // What tasks share of them cannot change.
  private lazy val metadata = ids.zip(TaskMetricsTemplate.names).map { case (id, name) =>
    AccumulatorMetadata(id, Some(name), countFailedValues = true)
  }

  def create(): TaskMetrics = {
    val metrics = new TaskMetrics
    val accumulators = metrics.nameToAccums.valuesIterator
    var place = 0
    while (accumulators.hasNext && place < ids.length) {
      val accumulator = accumulators.next()
      accumulator.metadata = metadata(place)
      TaskMetricsTemplate.atTask(accumulator)
      place += 1
    }
    metrics
  }

  /** Where in the order an accumulator is; -1 if it is none of them. */
  def placeOf(accumulator: LongAccumulator): Int = {
    val id = accumulator.id
    var place = ids.length - 1
    while (place >= 0 && ids(place) != id) place -= 1
    place
  }

  /** What a task of the stage has counted, as the driver reads it. */
  def accumulator(place: Int, sum: Long, count: Long): LongAccumulator = {
    val counted = new LongAccumulator
    counted.metadata = metadata(place)
    counted.setValue(sum)
    TaskMetricsTemplate.count.setLong(counted, count)
    counted
  }
}

private[drizzle] object TaskMetricsTemplate {
  private lazy val atDriverSide: Field =
    Private.field(classOf[AccumulatorV2[_, _]], "atDriverSide")

  /** As if it had been deserialized with a task. */
  def atTask(accumulator: AccumulatorV2[_, _]): Unit = atDriverSide.setBoolean(accumulator, false)

  private lazy val count: Field = Private.field(classOf[LongAccumulator], "_count")

  private lazy val names = (new TaskMetrics).nameToAccums.keysIterator.toArray

  def check(): Unit = Seq(atDriverSide, count)
}
