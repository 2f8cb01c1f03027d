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

import org.apache.spark.executor.ExecutorMetrics
import org.apache.spark.scheduler.{DAGScheduler, ExecutorDecommissionInfo}
import org.apache.spark.scheduler.{ExecutorDecommissionState, ExecutorLossReason, Pool}
import org.apache.spark.scheduler.{TaskScheduler, TaskSchedulerImpl, TaskSet}
import org.apache.spark.scheduler.SchedulingMode.SchedulingMode
import org.apache.spark.storage.BlockManagerId
import org.apache.spark.util.AccumulatorV2

/** What a DAGScheduler takes for its task scheduler: ours for what suits it, stock for the rest. */
private[drizzle] final class SharedTaskScheduler(
    protected val stock: TaskSchedulerImpl,
    protected val dispatcher: Dispatcher
) extends TaskScheduler
    with AskedByThisSpark {
  override def submitTasks(taskSet: TaskSet): Unit =
    if (!dispatcher.submit(taskSet)) {
      StockClaim.mark(taskSet, dispatcher.pool(taskSet))
      stock.submitTasks(taskSet)
    }

  override def killTaskAttempt(
      taskId: Long,
      interruptThread: Boolean,
      reason: String
  ): Boolean =
    dispatcher.kill(taskId, interruptThread, reason) ||
      stock.killTaskAttempt(taskId, interruptThread, reason)

  override def killAllTaskAttempts(
      stageId: Int,
      interruptThread: Boolean,
      reason: String
  ): Unit = {
    dispatcher.killAll(stageId, interruptThread, reason)
    stock.killAllTaskAttempts(stageId, interruptThread, reason)
  }

  override def notifyPartitionCompletion(stageId: Int, partitionId: Int): Unit = {
    dispatcher.partitionCompleted(stageId, partitionId)
    stock.notifyPartitionCompletion(stageId, partitionId)
  }

  override def stop(exitCode: Int): Unit = {
    dispatcher.stop()
    stock.stop(exitCode)
  }

  override def rootPool: Pool = stock.rootPool

  override def schedulingMode: SchedulingMode = stock.schedulingMode

  override def start(): Unit = stock.start()

  override def postStartHook(): Unit = stock.postStartHook()

  override def setDAGScheduler(dagScheduler: DAGScheduler): Unit =
    stock.setDAGScheduler(dagScheduler)

  override def defaultParallelism(): Int = stock.defaultParallelism()

  override def executorHeartbeatReceived(
      execId: String,
      accumUpdates: Array[(Long, Seq[AccumulatorV2[_, _]])],
      blockManagerId: BlockManagerId,
      executorUpdates: scala.collection.mutable.Map[(Int, Int), ExecutorMetrics]
  ): Boolean =
    dispatcher.progress(accumUpdates) {
      stock.executorHeartbeatReceived(execId, accumUpdates, blockManagerId, executorUpdates)
    }

  override def applicationId(): String = stock.applicationId()

  override def applicationAttemptId(): Option[String] = stock.applicationAttemptId()

  override def executorDecommission(
      executorId: String,
      decommissionInfo: ExecutorDecommissionInfo
  ): Unit = stock.executorDecommission(executorId, decommissionInfo)

  override def getExecutorDecommissionState(
      executorId: String
  ): Option[ExecutorDecommissionState] = stock.getExecutorDecommissionState(executorId)

  override def executorLost(executorId: String, reason: ExecutorLossReason): Unit =
    stock.executorLost(executorId, reason)

  override def workerRemoved(workerId: String, host: String, message: String): Unit =
    stock.workerRemoved(workerId, host, message)
}
