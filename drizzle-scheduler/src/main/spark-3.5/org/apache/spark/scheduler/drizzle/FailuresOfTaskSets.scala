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

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{HealthTracker, TaskSetExcludelist}
import org.apache.spark.util.Clock

/** Where Spark counts what has failed in a task set. */
private[drizzle] object FailuresOfTaskSets {

  /** Whether executors and hosts are excluded for a task set; if so, they are for the application, too. */
  def areCounted(sc: SparkContext): Boolean = HealthTracker.isExcludeOnFailureEnabled(sc.conf)

  /** @param isDryRun whether they only count for the application, as they never do in this Spark */
  def create(
      sc: SparkContext,
      key: StageKey,
      clock: Clock,
      isDryRun: Boolean
  ): TaskSetExcludelist = {
    require(!isDryRun)
    new TaskSetExcludelist(sc.listenerBus, sc.conf, key.stageId, key.attempt, clock)
  }
}
