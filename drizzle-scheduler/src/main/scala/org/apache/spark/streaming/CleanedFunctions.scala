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
package org.apache.spark.streaming

import java.lang.reflect.Field

import scala.annotation.nowarn
import scala.collection.mutable

import org.apache.spark.scheduler.drizzle.Private
import org.apache.spark.streaming.dstream._

/** Saves a streaming application what it has done once. A DStream has its functions cleaned when it is
  * made: their classes are read, for what they need not take along. But for each batch it gives them to
  * an RDD that has them cleaned again, which takes most of the driver's time for a small batch.
  * Spark cleans lambdas only; so each is put into an object that is none. In what is serialized, tasks
  * and checkpoints, the lambda stands as before.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[streaming] object CleanedFunctions {

  /** Each only hands these functions to an RDD. */
  private val FunctionsOf: Seq[(Class[_ <: DStream[_]], Seq[String])] = Seq(
    classOf[MappedDStream[_, _]] -> Seq("mapFunc"),
    classOf[FlatMappedDStream[_, _]] -> Seq("flatMapFunc"),
    classOf[FilteredDStream[_]] -> Seq("filterFunc"),
    classOf[MapPartitionedDStream[_, _]] -> Seq("mapPartFunc"),
    classOf[MapValuedDStream[_, _, _]] -> Seq("mapValueFunc"),
    classOf[FlatMapValuedDStream[_, _, _]] -> Seq("flatMapValueFunc"),
    classOf[ShuffledDStream[_, _, _]] -> Seq("createCombiner", "mergeValue", "mergeCombiner")
  )

  /** May be called while batches are made, and again.
    *
    * @throws ReflectiveOperationException if this Spark keeps them elsewhere
    */
  def install(application: StreamingContext): Unit = {
    val fields: Map[Class[_], Seq[Field]] = FunctionsOf.map { case (stream, names) =>
      stream -> names.map(Private.field(stream, _))
    }.toMap
    val seen = mutable.Set.empty[DStream[_]]
    def visit(stream: DStream[_]): Unit = if (seen.add(stream)) {
      fields.getOrElse(stream.getClass, Seq.empty).foreach { field =>
        field.get(stream) match {
          case _: Cleaned1[_, _] | _: Cleaned2[_, _, _] =>
          case one: Function1[_, _]                     => field.set(stream, new Cleaned1(one))
          case two: Function2[_, _, _]                  => field.set(stream, new Cleaned2(two))
          case _                                        =>
        }
      }
      stream.dependencies.foreach(visit)
    }
    application.graph.getOutputStreams().foreach(visit)
  }

  private final class Cleaned1[A, R](function: A => R) extends (A => R) with Serializable {
    override def apply(a: A): R = function(a)

    private def writeReplace(): AnyRef = function
  }

  private final class Cleaned2[A, B, R](function: (A, B) => R)
      extends ((A, B) => R)
      with Serializable {
    override def apply(a: A, b: B): R = function(a, b)

    private def writeReplace(): AnyRef = function
  }
}
