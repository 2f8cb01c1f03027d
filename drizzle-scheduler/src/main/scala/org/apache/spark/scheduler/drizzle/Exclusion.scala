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
import org.apache.spark.scheduler.{TaskSchedulerImpl, TaskSetExcludelist}
import org.apache.spark.util.SystemClock

/** Executors and hosts on which too much has failed, kept by Spark's own books: those of the application
  * are stock's, and those of a task set are of its kind. Safe for use by several threads.
  */
private[drizzle] final class Exclusion(sc: SparkContext, stock: TaskSchedulerImpl) {
  private val ofTaskSets = FailuresOfTaskSets.areCounted(sc)
  private val ofApplication = stock.healthTrackerOpt
  private val clock = new SystemClock

  /** Whether anything may be excluded. */
  val isOn: Boolean = ofTaskSets || ofApplication.isDefined

  /** What is excluded for a task set; it only counts if that is for the application alone. */
  def forTaskSet(key: StageKey): Option[TaskSetExcludelist] = if (isOn) {
    Some(FailuresOfTaskSets.create(sc, key, clock, isDryRun = !ofTaskSets))
  } else {
    None
  }

  /** Whether an executor gets no tasks of the application any more. */
  def isExcluded(agent: AgentHandle): Boolean = ofApplication.exists { health =>
    stock.synchronized {
      health.isNodeExcluded(agent.host) || health.isExecutorExcluded(agent.executorId)
    }
  }

  /** Outputs could not be had from an executor. */
  def fetchFailed(host: String, executorId: String): Unit =
    ofApplication.foreach(h =>
      stock.synchronized(h.updateExcludedForFetchFailure(host, executorId))
    )

  /** All tasks of a task set have succeeded; those that failed before that count for the application. */
  def succeeded(run: StageRun): Unit = for (health <- ofApplication; list <- run.exclusions)
    stock.synchronized {
      health.updateExcludedForSuccessfulTaskSet(
        run.key.stageId,
        run.key.attempt,
        list.execToFailures
      )
    }

  /** An executor that has nothing to do is to make room for one that may run what no other may. */
  def replace(executorId: String): Unit =
    ofApplication.foreach(h => stock.synchronized(h.killExcludedIdleExecutor(executorId)))
}
