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

import org.apache.spark.scheduler.{ExecutorCacheTaskLocation, TaskLocation}

/** Which executor each task goes to. For one thread, and one decision over several task sets. */
private[drizzle] final class Placement(agents: Seq[AgentHandle]) {
  require(agents.nonEmpty, "There is no executor")

  private val tasks = mutable.HashMap.empty[AgentHandle, Int].withDefault(_.load)

  /** An executor that the task prefers, if there is one, and of those the one with least to do.
    *
    * @param isAllowed whether the task may run on an executor
    * @return empty if it may run on none
    */
  def place(
      preferred: Seq[TaskLocation],
      isAllowed: AgentHandle => Boolean
  ): Option[AgentHandle] = {
    val executors = preferred.collect { case l: ExecutorCacheTaskLocation => l.executorId }.toSet
    val hosts = preferred.map(_.host).toSet
    val allowed = agents.filter(isAllowed)
    val near = Iterator(
      allowed.filter(a => executors.contains(a.executorId)),
      allowed.filter(a => hosts.contains(a.host)),
      allowed
    ).find(_.nonEmpty)
    near.map { agents =>
      val chosen = agents.minBy(a => (tasks(a).toDouble / a.cores, a.executorId))
      tasks(chosen) = tasks(chosen) + 1
      chosen
    }
  }
}
