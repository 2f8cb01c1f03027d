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
  def create(): TaskMetrics = {
    val metrics = new TaskMetrics
    metrics.nameToAccums.iterator.zip(ids.iterator).foreach { case ((name, accumulator), id) =>
      accumulator.metadata = AccumulatorMetadata(id, Some(name), countFailedValues = true)
      TaskMetricsTemplate.atDriverSide.setBoolean(accumulator, false)
    }
    metrics
  }

  /** Where in the order an accumulator is; -1 if it is none of them. */
  def placeOf(accumulator: LongAccumulator): Int = ids.indexOf(accumulator.id)

  /** What a task of the stage has counted, as the driver reads it. */
  def accumulator(place: Int, sum: Long, count: Long): LongAccumulator = {
    val counted = new LongAccumulator
    counted.metadata = AccumulatorMetadata(
      ids(place),
      Some(TaskMetricsTemplate.names(place)),
      countFailedValues = true
    )
    counted.setValue(sum)
    TaskMetricsTemplate.count.setLong(counted, count)
    counted
  }
}

private[drizzle] object TaskMetricsTemplate {
  private lazy val atDriverSide: Field =
    Private.field(classOf[AccumulatorV2[_, _]], "atDriverSide")

  private lazy val count: Field = Private.field(classOf[LongAccumulator], "_count")

  private lazy val names = (new TaskMetrics).nameToAccums.keysIterator.toArray

  def check(): Unit = Seq(atDriverSide, count)
}
