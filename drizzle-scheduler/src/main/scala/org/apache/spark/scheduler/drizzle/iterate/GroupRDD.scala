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
package org.apache.spark.scheduler.drizzle.iterate

import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{ResultStage, Stage}
import org.apache.spark.scheduler.drizzle.DrizzleAgent
import org.freshet.drizzle.iterate.{IterationGroup, SharedVariable, SharedVariables}

/** What all tasks of a group of iterations have in common.
  *
  * @param job which iterations, of all that run in an application
  * @param attempt of one of their groups; no other one has this number
  * @param boundaryBy the attempt that made the values at the beginning of the group; none has the number 0
  * @param boundary the variables' values at the beginning of the group, from the driver
  */
private[drizzle] final class GroupProgram(
    val job: Long,
    val attempt: Int,
    val boundaryBy: Int,
    val group: IterationGroup,
    val variables: Vector[SharedVariable[_, _]],
    val boundary: Broadcast[Vector[Array[Byte]]]
) extends Serializable

/** A group of iterations: each of its tasks runs all of them, for one partition. Its result is how long they took
  * there, and the first one's also the values of the variables at the end of the group.
  *
  * All tasks of an attempt have to be under way together, so the dispatcher gives up the whole attempt when
  * one of them cannot go on, and tells it here.
  */
private[drizzle] final class GroupRDD[T](
    data: RDD[T],
    program: GroupProgram,
    body: (Int, Iterator[T], SharedVariables) => Unit
) extends RDD[Array[Byte]](data) {
  def group: IterationGroup = program.group

  @transient private val outcome = new AtomicReference[Option[GroupGivenUp]](None)

  override protected def getPartitions: Array[Partition] = dependencies.head.rdd.partitions

  override def compute(split: Partition, context: TaskContext): Iterator[Array[Byte]] = {
    val member = DrizzleAgent.ofThisExecutor.groups.join(context, program)
    val shared = new TaskVariables(program.variables) {
      override protected def value(variable: Int, wait: Boolean): Any =
        member.value(variable, iteration - 1, wait)

      override protected def committed(variable: Int, update: Option[Any]): Unit =
        member.commit(variable, iteration, update)
    }
    val source = dependencies.head.rdd.asInstanceOf[RDD[T]]
    val begun = System.nanoTime()
    for (iteration <- program.group.first to program.group.last) {
      context.killTaskIfInterrupted()
      shared.begin(iteration)
      body(iteration, new GroupRDD.WhenRead(source.iterator(split, context)), shared)
      shared.end()
    }
    val values = member.end()
    val ran = Iterator(GroupRDD.toBytes(System.nanoTime() - begun))
    if (split.index == 0) ran ++ program.variables.zip(values).iterator.map(GroupProgram.toBytes)
    else ran
  }

  /** On the driver: this attempt will not end. The first reason counts. */
  def giveUp(why: GroupGivenUp): Unit = outcome.compareAndSet(None, Some(why))

  /** On the driver: why not, if it was given up. */
  def givenUp: Option[GroupGivenUp] = outcome.get
}

private[drizzle] object GroupRDD {

  /** How long a task went through iterations, from all that it has returned. */
  def ranNs(result: Array[Array[Byte]]): Long = ByteBuffer.wrap(result.head).getLong

  /** The values at the end of the group, from all that the first task has returned. */
  def values(result: Array[Array[Byte]]): Array[Array[Byte]] = result.tail

  /** What a task returns first. */
  private[drizzle] def toBytes(ns: Long): Array[Byte] = ByteBuffer.allocate(8).putLong(ns).array

  /** Computes a partition when its first row is asked for. Computing may take memory that other tasks wait for
    * (a shuffle's aggregation does), so a task should have no data yet while it waits for shared variables.
    */
  private final class WhenRead[T](compute: => Iterator[T]) extends Iterator[T] {
    private var computed: Iterator[T] = _

    private def rows: Iterator[T] = {
      if (computed == null) {
        computed = compute
      }
      computed
    }

    override def hasNext: Boolean = rows.hasNext

    override def next(): T = rows.next()
  }

  /** The group of iterations that a stage runs; empty if it runs something else. */
  def of(stage: Stage): Option[GroupRDD[_]] = stage match {
    case result: ResultStage =>
      result.rdd match {
        case group: GroupRDD[_] => Some(group)
        case _                  => None
      }
    case _ => None
  }
}

private[drizzle] object GroupProgram {
  def toBytes(ofVariable: (SharedVariable[_, _], Any)): Array[Byte] =
    ofVariable._1.asInstanceOf[SharedVariable[Any, Any]].valueToBytes(ofVariable._2)

  def fromBytes(ofVariable: (SharedVariable[_, _], Array[Byte])): Any =
    ofVariable._1.asInstanceOf[SharedVariable[Any, Any]].valueFromBytes(ofVariable._2)
}

/** Why an attempt of a group was given up. */
private[drizzle] sealed trait GroupGivenUp {
  def why: String
}

private[drizzle] object GroupGivenUp {

  /** It may be tried again.
    *
    * @param partitions those whose failure it may be, if that counts against the number of failures that they may
    *   have. An executor's are lost together, and nobody knows which one has ended it.
    */
  final case class Failed(why: String, partitions: Set[Int] = Set.empty) extends GroupGivenUp

  /** It may be tried again, but not without end: what a task reads could not be fetched. */
  final case class FetchFailed(why: String) extends GroupGivenUp

  /** Its iterations are to run as plain jobs. */
  final case class LeftToStock(why: String) extends GroupGivenUp
}
