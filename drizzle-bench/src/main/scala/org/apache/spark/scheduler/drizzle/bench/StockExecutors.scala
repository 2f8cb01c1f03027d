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

import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.LongAdder

import org.apache.spark.{SparkConf, TaskState}
import org.apache.spark.TaskState.TaskState
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.rpc.{RpcEndpointRef, RpcEnv, ThreadSafeRpcEndpoint}
import org.apache.spark.scheduler.{ShuffleMapTask, Task, TaskDescription}
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages._
import org.apache.spark.scheduler.drizzle.{Private, TaskMetricsTemplate}
import org.apache.spark.serializer.JavaSerializer

/** Stands for all executors to which Spark's own scheduler sends tasks. Each task has ended when it arrives.
  *
  * @param received counts what the driver has sent
  * @param sent counts what was sent to the driver
  */
private[bench] final class StockExecutors(
    override val rpcEnv: RpcEnv,
    driver: RpcEndpointRef,
    conf: SparkConf,
    results: TaskResults,
    received: LongAdder,
    sent: LongAdder
) extends ThreadSafeRpcEndpoint {
  private val serializer = new JavaSerializer(conf).newInstance()

  /** By their names; there are as many as the driver has submitted, which is no more than it keeps itself. */
  private val stages = new ConcurrentHashMap[String, StockExecutors.StageKind]

  override def receive: PartialFunction[Any, Unit] = {
    case LaunchTask(data) =>
      received.increment()
      run(TaskDescription.decode(data.value))
    case StopExecutor =>
  }

  private def run(task: TaskDescription): Unit = {
    val kind = stages.computeIfAbsent(StockExecutors.stageOf(task), _ => kindOf(task))
    update(task, TaskState.RUNNING, ByteBuffer.allocate(0))
    val result =
      if (kind.isMap) {
        results.ofMap(task.taskId, SimulatedExecutors.blockManager(task.executorId), kind.metrics)
      } else {
        results.ofResult(task.partitionId, kind.metrics)
      }
    update(task, TaskState.FINISHED, ByteBuffer.wrap(result))
  }

  private def update(task: TaskDescription, state: TaskState, data: ByteBuffer): Unit = {
    sent.increment()
    driver.send(
      StatusUpdate(task.executorId, task.taskId, state, data, task.cpus, task.resources)
    )
  }

  /** A task says in Java's serialization what it is; an executor reads each, here the first of a stage is enough. */
  private def kindOf(description: TaskDescription): StockExecutors.StageKind = {
    val task = serializer.deserialize[Task[_]](description.serializedTask)
    val metrics = serializer.deserialize[TaskMetrics](
      ByteBuffer.wrap(StockExecutors.metrics.get(task).asInstanceOf[Array[Byte]])
    )
    new StockExecutors.StageKind(
      task.isInstanceOf[ShuffleMapTask],
      new TaskMetricsTemplate(metrics.internalAccums.map(_.id).toArray)
    )
  }
}

private[bench] object StockExecutors {
  private lazy val metrics = Private.field(classOf[Task[_]], "serializedTaskMetrics")

  private final class StageKind(val isMap: Boolean, val metrics: TaskMetricsTemplate)

  /** As in `task 3.0 in stage 5.0 (TID 9)`. */
  private def stageOf(task: TaskDescription): String =
    task.name.substring(task.name.indexOf(" in stage "), task.name.indexOf(" (TID "))
}
