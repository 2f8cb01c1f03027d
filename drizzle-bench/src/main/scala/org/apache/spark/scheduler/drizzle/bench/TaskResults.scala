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

import org.apache.spark.SparkConf
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.metrics.ExecutorMetricType
import org.apache.spark.scheduler.{DirectTaskResult, MapStatus}
import org.apache.spark.scheduler.drizzle.TaskMetricsTemplate
import org.apache.spark.serializer.{JavaSerializer, SerializerInstance}
import org.apache.spark.storage.BlockManagerId

/** What an executor would send of tasks that it has run: the value, those metrics that a small task has counted
  * something in, and the peaks of memory. Safe for use by several threads.
  */
private[bench] final class TaskResults(conf: SparkConf) {
  private val serializers = new ThreadLocal[SerializerInstance] {
    override def initialValue(): SerializerInstance = new JavaSerializer(conf).newInstance()
  }

  /** @param at where the task's output is said to lie */
  def ofMap(taskId: Long, at: BlockManagerId, metrics: TaskMetricsTemplate): ByteBuffer = {
    val counted = counts(metrics)
    counted.shuffleWriteMetrics.incBytesWritten(TaskResults.BlockBytes * TaskResults.Reducers)
    counted.shuffleWriteMetrics.incRecordsWritten(1)
    counted.shuffleWriteMetrics.incWriteTime(TaskResults.Nanos)
    val sizes = Array.fill(TaskResults.Reducers)(TaskResults.BlockBytes)
    result(MapStatus(at, sizes, taskId), counted)
  }

  /** The value is the number of the task's partition, so that the driver can tell whose it is. */
  def ofResult(partition: Int, metrics: TaskMetricsTemplate): ByteBuffer =
    result(partition, counts(metrics))

  /** Executors send back what is not zero, and the size of the result, which the driver fills in. */
  private def result(value: Any, counted: TaskMetrics): ByteBuffer = {
    val serializer = serializers.get()
    serializer.serialize(
      new DirectTaskResult[Any](
        serializer.serialize(value),
        counted.nonZeroInternalAccums(),
        Array.fill(ExecutorMetricType.numMetrics)(TaskResults.Nanos)
      )
    )
  }

  private def counts(template: TaskMetricsTemplate): TaskMetrics = {
    val counted = template.create()
    counted.setExecutorDeserializeTime(1)
    counted.setExecutorDeserializeCpuTime(TaskResults.Nanos)
    counted.setExecutorRunTime(1)
    counted.setExecutorCpuTime(TaskResults.Nanos)
    counted
  }
}

private[bench] object TaskResults {

  /** Of all jobs with two stages. */
  val Reducers = 16

  private val BlockBytes = 60L
  private val Nanos = 1000000L
}
