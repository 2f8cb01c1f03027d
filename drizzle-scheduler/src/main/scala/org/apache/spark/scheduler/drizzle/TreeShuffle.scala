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

import scala.util.Try

import org.apache.spark.{HashPartitioner, OneToOneDependency, ShuffleDependency}
import org.apache.spark.rdd.{MapPartitionsRDD, RDD}
import org.apache.spark.scheduler.MapStatus

/** A level of a tree reduction, as `treeAggregate` and `treeReduce` make it: map task `i` writes for task
  * `i mod width` and no other. So that one need not wait for all map tasks, but for its own.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, on
  * improving pre-scheduling: where the structure of the communication is known, a task waits for fewer inputs.
  *
  * Stateless; safe for use by several threads.
  */
private[drizzle] object TreeShuffle {

  /** How many tasks read a shuffle, if it is a level of a tree; empty if it is not, or not known to be. */
  def width(shuffle: ShuffleDependency[_, _, _]): Option[Int] = for {
    partitioner <- Option(shuffle.partitioner).collect { case hash: HashPartitioner => hash }
    field <- mapped if shuffle.rdd.getClass == classOf[MapPartitionsRDD[_, _]]
    width <- keyedBy(field.get(shuffle.rdd)) if width == partitioner.numPartitions
  } yield width

  /** Whether each partition of an RDD is made of the shuffle's partition of the same number. */
  def isRead(shuffle: ShuffleDependency[_, _, _], by: RDD[_]): Boolean = by.dependencies match {
    case Seq(alike: OneToOneDependency[_])      => isRead(shuffle, alike.rdd)
    case Seq(other: ShuffleDependency[_, _, _]) => other eq shuffle
    case _                                      => false
  }

  /** The map tasks whose outputs a task reads. */
  def mapsOf(partition: Int, width: Int, maps: Int): Range = partition until maps by width

  /** Whether a map task has written for no other task than its own. */
  def isKept(output: MapStatus, map: Int, width: Int): Boolean = (0 until width).forall { reader =>
    reader == map % width || output.getSizeForBlock(reader) == 0
  }

  def whyBroken(map: Int, width: Int): String =
    s"Partition $map was to write for partition ${map % width} only of the next level of a tree " +
      "reduction, and has written for others, which may have begun without it. This is a fault of " +
      s"Freshet: please report it. ${DrizzleKeys.PreScheduling.key}=false avoids it"

  /** By how many `treeAggregate`'s function divides the numbers of partitions, if it is that function. */
  private def keyedBy(function: AnyRef): Option[Int] = for {
    keying <- captured(function, "$anonfun$mapPartitionsWithIndex$", WithIndex)
    width <- captured(keying, "$anonfun$treeAggregate$", Keying)
  } yield width.asInstanceOf[Int]

  /** The first value that a function has captured, if it is one of RDD's own with this name and signature. */
  private def captured(function: AnyRef, name: String, signature: String): Option[AnyRef] =
    Try(Private.lambda(function)).toOption
      .filter { lambda =>
        lambda.getImplClass == OfRdd && lambda.getImplMethodName.startsWith(name) &&
        lambda.getImplMethodSignature == signature
      }
      .map(_.getCapturedArg(0))

  private val OfRdd = "org/apache/spark/rdd/RDD"

  // Each captures what comes first: a function, and by how many it divides.
  private val WithIndex =
    "(Lscala/Function2;Lorg/apache/spark/TaskContext;Ljava/lang/Object;Lscala/collection/Iterator;)" +
      "Lscala/collection/Iterator;"
  private val Keying = "(ILjava/lang/Object;Lscala/collection/Iterator;)Lscala/collection/Iterator;"

  private lazy val mapped: Option[Field] =
    Try(Private.field(classOf[MapPartitionsRDD[_, _]], "f")).toOption
}
