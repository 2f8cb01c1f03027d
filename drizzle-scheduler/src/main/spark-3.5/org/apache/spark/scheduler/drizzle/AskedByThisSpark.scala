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

import org.apache.spark.scheduler.{TaskScheduler, TaskSchedulerImpl}

/** What a DAGScheduler of Spark 3.5 asks its task scheduler for, beside all that Spark 4 does. */
private[drizzle] trait AskedByThisSpark extends TaskScheduler {
  protected def stock: TaskSchedulerImpl

  protected def dispatcher: Dispatcher

  /** Its job has failed, or was cancelled. */
  override def cancelTasks(stageId: Int, interruptThread: Boolean, reason: String): Unit = {
    dispatcher.killAll(stageId, interruptThread, s"Stage cancelled: $reason")
    stock.cancelTasks(stageId, interruptThread, reason)
  }
}
