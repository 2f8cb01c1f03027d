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

import scala.collection.mutable

import org.apache.spark.NarrowDependency
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

/** A task of a task set. */
private[drizzle] final case class TaskOfRun(run: StageRun, index: Int)

/** Partitions of persisted RDDs that tasks compute and cache which have been submitted and have not ended, so that others
  * that read them can follow those tasks and find them cached. Spark would compute them in both.
  *
  * Guarded by the dispatcher.
  */
private[drizzle] final class CachedPartitions {
  import CachedPartitions._

  private val toCome = mutable.HashMap.empty[Key, TaskOfRun]
  private val ofRuns = mutable.HashMap.empty[StageRun, Vector[Key]]

  /** Notes what a task set's tasks cache, and has them follow those that cache what they read. On the DAGScheduler's thread.
    *
    * @param rdd of its stage
    * @param isCached whether a persisted RDD's partition is there
    */
  def add(run: StageRun, rdd: RDD[_], isCached: (RDD[_], Int) => Boolean): Unit =
    if (areAnyPersisted(rdd)) {
      val computed = Vector.newBuilder[Key]
      for (work <- run.works) {
        val (reads, computes) = narrowly(rdd, work.partitionId, isCached)
        run.follow(work.index, reads)
        for (key <- computes) {
          toCome(key) = TaskOfRun(run, work.index)
          computed += key
        }
      }
      ofRuns(run) = computed.result()
    }

  /** What a task set's tasks computed is cached, or will not be. */
  def remove(run: StageRun): Unit =
    for (keys <- ofRuns.remove(run); key <- keys)
      toCome.updateWith(key)(_.filterNot(_.run eq run))

  def isEmpty: Boolean = toCome.isEmpty && ofRuns.isEmpty

  /** What a task reads that others compute, and what it computes and caches itself. */
  private def narrowly(
      rdd: RDD[_],
      partition: Int,
      isCached: (RDD[_], Int) => Boolean
  ): (Vector[TaskOfRun], Vector[Key]) = {
    val seen = mutable.HashSet.empty[Key]
    val ahead = mutable.Stack(Partition(rdd, partition))
    val reads = Vector.newBuilder[TaskOfRun]
    val computes = Vector.newBuilder[Key]
    while (ahead.nonEmpty) {
      val at = ahead.pop()
      val key = (at.rdd.id, at.index)
      if (seen.add(key)) {
        val isPersisted = at.rdd.getStorageLevel != StorageLevel.NONE
        if (isPersisted && toCome.contains(key)) {
          reads += toCome(key)
        } else if (!isPersisted || !isCached(at.rdd, at.index)) {
          if (isPersisted) {
            computes += key
          }
          for (narrow <- narrowDependencies(at.rdd); parent <- narrow.getParents(at.index))
            ahead.push(Partition(narrow.rdd, parent))
        }
      }
    }
    (reads.result().distinct, computes.result())
  }
}

private object CachedPartitions {

  /** An RDD, and which of its partitions. */
  private type Key = (Int, Int)

  private final case class Partition(rdd: RDD[_], index: Int)

  private def narrowDependencies(of: RDD[_]): Seq[NarrowDependency[_]] =
    of.dependencies.collect { case narrow: NarrowDependency[_] => narrow }

  /** Whether tasks of a stage may read or compute partitions of persisted RDDs. */
  private def areAnyPersisted(rdd: RDD[_]): Boolean = {
    val seen = mutable.HashSet.empty[Int]
    val ahead = mutable.Stack[RDD[_]](rdd)
    var isFound = false
    while (!isFound && ahead.nonEmpty) {
      val next = ahead.pop()
      if (seen.add(next.id)) {
        isFound = next.getStorageLevel != StorageLevel.NONE
        narrowDependencies(next).foreach(narrow => ahead.push(narrow.rdd))
      }
    }
    isFound
  }
}
