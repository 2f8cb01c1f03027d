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

import org.apache.spark.scheduler.TaskSchedulerImpl

/** Has Spark know which executors have tasks that were sent ahead, of which its own books say nothing: dynamic allocation
  * ends no executor that has tasks, and chooses one of those that have none. Safe for use by several threads.
  */
private[drizzle] final class BusyExecutors(stock: TaskSchedulerImpl) {
  import BusyExecutors._

  private val tasks = RunningTasks.get(stock).asInstanceOf[mutable.Map[String, mutable.Set[Long]]]

  /** An executor gets the first of its tasks. */
  def begins(executorId: String): Unit = of(executorId)(_.add(AnyTask))

  /** It has none any more. */
  def ends(executorId: String): Unit = of(executorId)(_.remove(AnyTask))

  private def of(executorId: String)(change: mutable.Set[Long] => Unit): Unit =
    stock.synchronized(tasks.get(executorId).foreach(change))
}

private[drizzle] object BusyExecutors {

  /** How many tasks Spark counts on an executor that has tasks which were sent ahead, beside its own. */
  val CountedAs = 1

  /** No task has this id. */
  private val AnyTask = -1L

  private lazy val RunningTasks =
    Private.field(classOf[TaskSchedulerImpl], "executorIdToRunningTaskIds")

  def check(): Unit = RunningTasks
}
