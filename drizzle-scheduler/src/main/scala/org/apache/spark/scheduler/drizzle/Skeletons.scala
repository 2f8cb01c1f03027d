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

/** What tasks of a stage had in common, as bytes, when it was sent first. Stages of later batches have nearly the same,
  * so an executor that knows the skeleton is sent what differs. Immutable.
  */
private[drizzle] final class Skeleton(val id: Long, val bytes: Array[Byte])

/** The skeletons by which the driver writes messages: the last of each kind of stages. Safe for use by several threads.
  *
  * Drizzle sends the structure of all batches of a group ahead; Venkataraman et al., "Drizzle: Fast and Adaptable Stream
  * Processing at Scale", SOSP 2017, section 3.1. Here it is there from the batch before.
  */
private[drizzle] final class Skeletons {
  import Skeletons._

  // Guarded by this, as the next id is.
  private val byKind = new RecentMap[Kind, Skeleton](Most)
  private var nextId = 0L

  /** The skeleton that bytes are written by, and how they differ from it; they become one if there is none that saves
    * anything. Empty if they are too long to be kept by executors.
    *
    * @param name of the stage
    */
  def of(name: String, bytes: Array[Byte]): Option[(Skeleton, Array[Byte])] =
    if (bytes.length > Longest) {
      None
    } else {
      val kind = Kind(name, bytes.length)
      val known = synchronized(byKind.get(kind))
      val found =
        for (skeleton <- known; delta <- Delta.of(skeleton.bytes, bytes))
          yield skeleton -> delta
      found.orElse(Some(synchronized(add(kind, bytes)) -> Array.emptyByteArray))
    }

  /** Whether messages may still be written by it. */
  def isKept(id: Long): Boolean = synchronized(byKind.values.exists(_.id == id))

  private def add(kind: Kind, bytes: Array[Byte]): Skeleton = {
    val skeleton = new Skeleton(nextId, bytes)
    nextId += 1
    byKind.put(kind, skeleton)
    skeleton
  }
}

private[drizzle] object Skeletons {

  /** How many there are, and how many each executor keeps. */
  private val Most = 64
  private val MostOfExecutor = 128

  /** In bytes. */
  private val Longest = 128 << 10

  /** Names are of places in an application, and of few. */
  private final case class Kind(stage: String, length: Int)

  /** Those that an executor has been sent. It keeps the ones used last. For one thread. */
  final class OfExecutor {
    private val byId = new RecentMap[Long, Array[Byte]](MostOfExecutor)

    def add(id: Long, bytes: Array[Byte]): Unit = byId.put(id, bytes)

    /** @throws UnknownSkeleton if it was not sent, or is kept no more */
    def apply(id: Long): Array[Byte] = byId.get(id).getOrElse(throw new UnknownSkeleton(id))
  }

  /** Those that the driver knows an executor to have. Safe for use by several threads. */
  final class Delivered(all: Skeletons) {
    // Guarded by this.
    private val ids = mutable.HashSet.empty[Long]

    def contains(id: Long): Boolean = synchronized(ids(id))

    /** What became of messages to it.
      *
      * @param areTaken if not, it lacks a skeleton
      */
    def answered(messages: Vector[Serializable], areTaken: Boolean): Unit = synchronized {
      if (areTaken) {
        for {
          case SentLaunch(stages) <- messages
          stage <- stages
          (skeleton, _) <- stage.common.bySkeleton
        } add(skeleton.id)
      } else {
        ids.clear()
      }
    }

    private def add(id: Long): Unit = {
      if (ids.size >= 2 * Most) {
        ids.filterInPlace(all.isKept)
      }
      ids += id
    }
  }
}

/** A message was written by a skeleton that is not here. */
private[drizzle] final class UnknownSkeleton(id: Long)
    extends Exception(s"Skeleton $id is not here")

/** What tasks of a stage have in common, as bytes, for all messages with some of them. Safe for use by several
  * threads.
  *
  * @param partition one of the stage's, to which others are much alike
  * @param skeletons with the stage's name; empty to have none
  */
private[drizzle] final class StageBytes(
    stage: StageWork,
    val partition: Array[Byte],
    skeletons: Option[(Skeletons, String)]
) {
  lazy val whole: Array[Byte] = MessageCodec.common(stage, partition)

  lazy val bySkeleton: Option[(Skeleton, Array[Byte])] =
    skeletons.flatMap { case (all, name) => all.of(name, whole) }

  /** Some of the stage's tasks, for an executor.
    *
    * @param delivered which skeletons it has
    */
  def withTasks(tasks: Vector[TaskWork], delivered: Skeletons.Delivered): SentStage =
    SentStage(this, tasks, bySkeleton.exists(by => delivered.contains(by._1.id)))
}

/** Tasks of a stage as they are sent.
  *
  * @param isSkeletonThere whether the executor has the skeleton by which it is written
  */
private[drizzle] final case class SentStage(
    common: StageBytes,
    tasks: Vector[TaskWork],
    isSkeletonThere: Boolean
)

/** What an agent reads as a [[Launch]]. */
private[drizzle] final case class SentLaunch(stages: Vector[SentStage]) extends Serializable
