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

import org.freshet.drizzle.iterate.{SharedVariable, SharedVariables}

/** What a task has done to the shared variables in the iteration that it is in. For the task's thread alone. */
private[iterate] abstract class TaskVariables(variables: Vector[SharedVariable[_, _]])
    extends SharedVariables {
  private val all = variables.asInstanceOf[Vector[SharedVariable[Any, Any]]]
  private val indexes = variables.map(_.name).zipWithIndex.toMap
  private val updates = new Array[Option[Any]](variables.size)
  private val read = new Array[Option[Any]](variables.size)
  private val isCommitted = new Array[Boolean](variables.size)
  protected var iteration = 0

  /** @param wait whether it must have all updates of the iterations before */
  protected def value(variable: Int, wait: Boolean): Any

  /** @param update all of this partition's, merged; empty if there were none */
  protected def committed(variable: Int, update: Option[Any]): Unit

  def begin(next: Int): Unit = {
    iteration = next
    for (i <- all.indices) {
      updates(i) = None
      read(i) = None
      isCommitted(i) = false
    }
  }

  /** Commits the rest. */
  def end(): Unit = for (i <- all.indices if !isCommitted(i)) commit(i)

  override def get[V](variable: SharedVariable[V, _], wait: Boolean): V = {
    val index = open(variable)
    val found = if (wait) {
      val known = read(index).getOrElse(value(index, wait))
      read(index) = Some(known)
      known
    } else {
      value(index, wait)
    }
    found.asInstanceOf[V]
  }

  override def update[U](variable: SharedVariable[_, U], update: U): Unit = {
    val index = open(variable)
    updates(index) = updates(index).map(all(index).merge(_, update)).orElse(Some(update))
  }

  override def commit(variable: SharedVariable[_, _]): Unit = commit(open(variable))

  private def commit(index: Int): Unit = {
    isCommitted(index) = true
    committed(index, updates(index))
    // It may be the last reference.
    updates(index) = None
  }

  private def open(variable: SharedVariable[_, _]): Int = {
    val index = indexes.getOrElse(
      variable.name,
      throw new IllegalArgumentException(
        s"There is no $variable in these iterations; they were given ${all.mkString(", ")}"
      )
    )
    if (isCommitted(index)) {
      throw new IllegalStateException(
        s"The updates of $variable in iteration $iteration have been committed: read and update it before that"
      )
    }
    index
  }
}
