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

import java.lang.reflect.Field

import org.apache.spark.Partition
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.scheduler.{ResultTask, ShuffleMapTask, Task}

/** What Spark's DAGScheduler has put into a task. */
private[drizzle] object StockTask {
  private lazy val ofMapTask = new Fields(classOf[ShuffleMapTask])
  private lazy val ofResultTask = new Fields(classOf[ResultTask[_, _]])

  private final class Fields(of: Class[_]) {
    val binary: Field = Private.field(of, "taskBinary")
    val partition: Field = Private.field(of, "partition")
  }

  def check(): Unit = Seq(ofMapTask, ofResultTask)

  def binary(task: Task[_]): StageBinary =
    fields(task).binary.get(task).asInstanceOf[Broadcast[Array[Byte]]] match {
      case unpublished: UnpublishedBinary => StageBinary.Sent(unpublished.value)
      case published                      => StageBinary.Published(published)
    }

  def partition(task: Task[_]): Partition =
    fields(task).partition.get(task).asInstanceOf[Partition]

  private def fields(task: Task[_]): Fields = task match {
    case _: ShuffleMapTask   => ofMapTask
    case _: ResultTask[_, _] => ofResultTask
    case other => throw new IllegalArgumentException(s"Neither map nor result: $other")
  }
}
