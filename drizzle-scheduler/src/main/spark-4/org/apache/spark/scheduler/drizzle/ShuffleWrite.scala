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

import org.apache.spark.{Partition, ShuffleDependency, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.MapStatus

/** How Spark has a map task write its output. */
private[drizzle] object ShuffleWrite {
  def apply(
      rdd: RDD[Any],
      dependency: ShuffleDependency[Any, Any, Any],
      mapId: Long,
      partition: Partition,
      context: TaskContext
  ): MapStatus =
    dependency.shuffleWriterProcessor.write(
      rdd.iterator(partition, context),
      dependency,
      mapId,
      partition.index,
      context
    )
}
