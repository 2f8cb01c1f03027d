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
package org.apache.spark.scheduler.drizzle.bench

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{ExternalClusterManager, SchedulerBackend, TaskScheduler}
import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend

/** The cluster of an application whose master is `simulated`: Spark's own schedulers, and whichever executors
  * come and register. Nobody starts any but a [[Simulator]].
  */
private[spark] final class SimulatedCluster extends ExternalClusterManager {
  override def canCreate(masterURL: String): Boolean = masterURL == SimulatedCluster.Master

  override def createTaskScheduler(sc: SparkContext, masterURL: String): TaskScheduler =
    new TaskSchedulerImpl(sc)

  override def createSchedulerBackend(
      sc: SparkContext,
      masterURL: String,
      scheduler: TaskScheduler
  ): SchedulerBackend = scheduler match {
    case stock: TaskSchedulerImpl => new CoarseGrainedSchedulerBackend(stock, sc.env.rpcEnv)
    case other => throw new IllegalArgumentException(s"$other was not made by this cluster")
  }

  override def initialize(scheduler: TaskScheduler, backend: SchedulerBackend): Unit =
    scheduler match {
      case stock: TaskSchedulerImpl => stock.initialize(backend)
      case other => throw new IllegalArgumentException(s"$other was not made by this cluster")
    }
}

private[spark] object SimulatedCluster {
  val Master = "simulated"
}
