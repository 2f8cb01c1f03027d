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

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import org.apache.spark.SparkConf
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.metrics.ExecutorMetricType
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.scheduler.{DirectTaskResult, MapStatus}
import org.apache.spark.scheduler.drizzle.{ResultCodec, TaskMetricsTemplate}
import org.apache.spark.scheduler.drizzle.iterate.GroupRDD
import org.apache.spark.serializer.{JavaSerializer, SerializerInstance}
import org.apache.spark.storage.BlockManagerId

/** What an executor would send of tasks that it has run: the value, those metrics that a small task has counted
  * something in, and the peaks of memory. Safe for use by several threads.
  *
  * @param isStock whether it is written as Spark's executors do, or as those with Freshet's agent
  */
private[bench] final class TaskResults(conf: SparkConf, isStock: Boolean) {
  private val serializers = new ThreadLocal[SerializerInstance] {
    override def initialValue(): SerializerInstance = new JavaSerializer(conf).newInstance()
  }

  /** @param at where the task's output is said to lie */
  def ofMap(taskId: Long, at: BlockManagerId, metrics: TaskMetricsTemplate): Array[Byte] = {
    val counted = counts(metrics)
    counted.shuffleWriteMetrics.incBytesWritten(TaskResults.BlockBytes * TaskResults.Reducers)
    counted.shuffleWriteMetrics.incRecordsWritten(1)
    counted.shuffleWriteMetrics.incWriteTime(TaskResults.Nanos)
    val sizes = Array.fill(TaskResults.Reducers)(TaskResults.BlockBytes)
    result(MapStatus(at, sizes, taskId), counted, metrics)
  }

  /** The value is the number of the task's partition, so that the driver can tell whose it is. */
  def ofResult(partition: Int, metrics: TaskMetricsTemplate): Array[Byte] =
    result(partition, counts(metrics), metrics)

  /** The first partition's value has the value of the shared variable at the end of the group. */
  def ofIterations(partition: Int, metrics: TaskMetricsTemplate): Array[Byte] = {
    val ran = GroupRDD.toBytes(ns = 0)
    val values = if (partition == 0) Array(ran, TaskResults.EndValue) else Array(ran)
    result(values, counts(metrics), metrics)
  }

  /** Executors send back what is not zero, and the size of the result, which the driver fills in. */
  private def result(
      value: Any,
      counted: TaskMetrics,
      metrics: TaskMetricsTemplate
  ): Array[Byte] = {
    val serializer = serializers.get()
    val valueBytes = serializer.serialize(value)
    val result = new DirectTaskResult[Any](
      valueBytes,
      counted.nonZeroInternalAccums(),
      Array.fill(ExecutorMetricType.numMetrics)(TaskResults.Nanos)
    )
    if (isStock) {
      JavaUtils.bufferToArray(serializer.serialize(result))
    } else {
      val bytes = new ByteArrayOutputStream
      ResultCodec.write(result, JavaUtils.bufferToArray(valueBytes), metrics, serializer, bytes)
      bytes.toByteArray
    }
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

  /** Of the one variable that iterations share. */
  val AtEnd = 7.0

  private val EndValue = ByteBuffer.allocate(java.lang.Double.BYTES).putDouble(AtEnd).array()
  private val BlockBytes = 60L
  private val Nanos = 1000000L
}
