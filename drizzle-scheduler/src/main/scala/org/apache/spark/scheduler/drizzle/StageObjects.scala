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

/** RDD and function of a stage, or RDD and shuffle dependency, for its tasks on one executor. Every task has objects
  * of its own, as Spark's have: it may change them. If there are several tasks, these are copies of what was
  * read once, if such can be made, which takes a small part of the time; so are those of a stage that differs from an
  * earlier one in numbers only. Safe for use by several threads.
  *
  * @param tasks how many there are
  */
private[drizzle] final class StageObjects(binary: StageBinary, tasks: Int) {
  // Guarded by this.
  private var original: Option[(ClosureReader, Option[PlainGraph])] = None

  /** For a task of this thread. */
  def read[A](): A = {
    val reader = ClosureReader.ofThisThread
    val objects = synchronized(original) match {
      // Another loader may find other classes.
      case Some((of, Some(graph))) if of eq reader => graph.copy()
      case None                                    => readFirst(reader)
      case _                                       => reader.read[AnyRef](binary.bytes)
    }
    objects.asInstanceOf[A]
  }

  private def readFirst(reader: ClosureReader): AnyRef = {
    val read = reader.stages.read(binary.bytes, isCopied = tasks > 1)
    synchronized { original = Some((reader, read.toOption)) }
    // If it is not plain, reading it may have told something to this task, and must not do so twice.
    read.fold(identity, _.copy())
  }
}
