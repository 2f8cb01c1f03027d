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

import scala.collection.mutable

import org.freshet.drizzle.iterate.{IterationGroup, SharedVariable, SharedVariables}

/** Iterations as they are meant to be: one after the other, partition after partition, in one thread. */
private[iterate] object SequentialIterations {
  private type AnyVariable = SharedVariable[Any, Any]

  def run[T](
      partitions: Seq[Seq[T]],
      iterations: Int,
      groupSize: Int,
      variables: Seq[SharedVariable[_, _]]
  )(body: (Int, Iterator[T], SharedVariables) => Unit): Map[String, Any] = {
    val values = mutable.Map.from(variables.map(v => v.name -> (v.initial: Any)))
    for (first <- 1 to iterations by groupSize) {
      val group = IterationGroup(first, math.min(first + groupSize - 1, iterations))
      for (v <- all(variables)) values(v.name) = v.groupBegins(values(v.name), group)
      for (iteration <- group.first to group.last) {
        val tasks = partitions.map { rows =>
          val task = new Task(values.toMap)
          body(iteration, rows.iterator, task)
          task
        }
        for (v <- all(variables); update <- merged(v, tasks.map(_.updates.get(v.name))))
          values(v.name) = v(values(v.name), update, iteration)
      }
      for (v <- all(variables)) values(v.name) = v.groupEnds(values(v.name), group)
    }
    values.toMap
  }

  /** The largest power of two partitions that leaves some over, and those. */
  private def merged(variable: AnyVariable, updates: Seq[Option[Any]]): Option[Any] =
    if (updates.size == 1) {
      updates.head
    } else {
      val (left, right) = updates.splitAt(Integer.highestOneBit(updates.size - 1))
      (merged(variable, left), merged(variable, right)) match {
        case (Some(one), Some(other)) => Some(variable.merge(one, other))
        case (one, other)             => one.orElse(other)
      }
    }

  private def all(variables: Seq[SharedVariable[_, _]]): Seq[AnyVariable] =
    variables.map(_.asInstanceOf[AnyVariable])

  private final class Task(values: Map[String, Any]) extends SharedVariables {
    val updates: mutable.Map[String, Any] = mutable.HashMap.empty

    override def get[V](variable: SharedVariable[V, _], wait: Boolean): V =
      values(variable.name).asInstanceOf[V]

    override def update[U](variable: SharedVariable[_, U], update: U): Unit =
      updates(variable.name) = updates
        .get(variable.name)
        .fold[Any](update)(variable.asInstanceOf[AnyVariable].merge(_, update))

    override def commit(variable: SharedVariable[_, _]): Unit = ()
  }
}
