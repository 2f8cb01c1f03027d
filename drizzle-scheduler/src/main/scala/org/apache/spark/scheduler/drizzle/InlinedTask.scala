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

import java.lang.management.ManagementFactory

import org.apache.spark.{Partition, ShuffleDependency, SparkEnv, TaskContext}
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.internal.config.SHUFFLE_USE_OLD_FETCH_PROTOCOL
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{MapStatus, Task}

/** A task whose stage's binary came with it; otherwise it does what Spark's own task does, in the
  * same order. To be run once.
  */
private[drizzle] sealed abstract class InlinedTask[T](stage: StageWork, partition: Partition)
    extends Task[T](
      stage.key.stageId,
      stage.key.attempt,
      partition.index,
      stage.numPartitions,
      stage.artifacts,
      stage.properties,
      // Read by nothing but what is overridden below.
      Array.emptyByteArray,
      Some(stage.jobId),
      Some(stage.appId),
      stage.appAttemptId
    ) {
  import InlinedTask._

  @transient override lazy val metrics: TaskMetrics = stage.metricsTemplate.create()

  /** Every task has objects of its own, as Spark's have: it may change them. */
  protected def readBinary[A](): A = {
    def cpuNs = if (isCpuTimeKnown) threads.getCurrentThreadCpuTime else 0L
    val (beginNs, beginCpuNs) = (System.nanoTime(), cpuNs)
    val read = stage.objects.read[A]()
    _executorDeserializeTimeNs = System.nanoTime() - beginNs
    _executorDeserializeCpuTime = cpuNs - beginCpuNs
    read
  }
}

private[drizzle] object InlinedTask {
  private val threads = ManagementFactory.getThreadMXBean
  private val isCpuTimeKnown = threads.isCurrentThreadCpuTimeSupported
}

/** @param ended told where the output lies */
private[drizzle] final class InlinedMapTask(
    stage: StageWork,
    partition: Partition,
    ended: MapStatus => Unit
) extends InlinedTask[MapStatus](stage, partition) {
  override def runTask(context: TaskContext): MapStatus = {
    val (rdd, dependency) = readBinary[(RDD[Any], ShuffleDependency[Any, Any, Any])]()
    val mapId =
      if (SparkEnv.get.conf.get(SHUFFLE_USE_OLD_FETCH_PROTOCOL)) partitionId.toLong
      else context.taskAttemptId()
    val status = ShuffleWrite(rdd, dependency, mapId, partition, context)
    ended(status)
    status
  }

  override def toString: String = s"ShuffleMapTask($stageId, $partitionId)"
}

private[drizzle] final class InlinedResultTask(stage: StageWork, partition: Partition)
    extends InlinedTask[Any](stage, partition) {
  override def runTask(context: TaskContext): Any = {
    val (rdd, function) = readBinary[(RDD[Any], (TaskContext, Iterator[Any]) => Any)]()
    function(context, rdd.iterator(partition, context))
  }

  override def toString: String = s"ResultTask($stageId, $partitionId)"
}
