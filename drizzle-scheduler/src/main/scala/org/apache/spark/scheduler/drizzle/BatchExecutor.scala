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

import java.util.{ArrayList, Collections, List => JList}
import java.util.concurrent.{CompletableFuture, ExecutorService, SynchronousQueue}
import java.util.concurrent.{RejectedExecutionException, ThreadPoolExecutor, TimeUnit}

import scala.collection.mutable

import org.apache.spark.util.ThreadUtils

/** A place in the order of output operations: of one batch after the other, and in a batch as they were
  * declared.
  *
  * @param before when all before it have ended; since when, in milliseconds since 1970
  */
private[drizzle] final class Turn(val before: CompletableFuture[Long]) {
  val ended = new CompletableFuture[Long]

  /** When its first job has been submitted, or waits for the turn, or there is none. */
  private val submitted = new CompletableFuture[Void]

  /** Those before it that had begun, and begin with a job, when it began. */
  private[drizzle] var begunBefore: Seq[Turn] = Seq.empty

  /** For how long somebody has waited for it. Of the thread that waits. */
  private[drizzle] var waitedNs = 0L

  def hasCome: Boolean = before.isDone

  /** Waits until those have submitted their first job that have begun early before it.
    *
    * @throws InterruptedException if interrupted meanwhile
    */
  def awaitSubmissions(): Unit = waiting(begunBefore.foreach(_.submitted.get()))

  /** Its first job has been submitted, or others need not wait for it. */
  def markSubmitted(): Unit = submitted.complete(null)

  /** @return since when it has come, in milliseconds since 1970
    * @throws InterruptedException if interrupted meanwhile
    */
  def await(): Long = {
    markSubmitted()
    waiting(before.get())
  }

  private def waiting[T](await: => T): T = {
    val since = System.nanoTime()
    try await
    finally waitedNs += System.nanoTime() - since
  }
}

private[drizzle] object Turn {
  private val ofThread = new ThreadLocal[Turn]

  /** That of the output operation that the calling thread runs before those before it have ended. */
  def current: Option[Turn] = ofOperation.filterNot(_.hasCome)

  /** That of the output operation that the calling thread runs. */
  def ofOperation: Option[Turn] = Option(ofThread.get)

  private[drizzle] def during[T](turn: Turn)(body: => T): T = {
    ofThread.set(turn)
    try body
    finally ofThread.remove()
  }
}

/** Runs the output operations of a streaming application, as Spark's pool of one thread does, but lets
  * some begin before those before them have ended. Whoever has begun early waits in [[Turn]] at the end of its
  * first job, so they end in order.
  *
  * Safe for use by several threads; output operations are handed over by one.
  *
  * @param previous what was handed to it before runs first
  * @param batchOf which batch an operation belongs to; ascending
  * @param mayBeginEarly whether an operation may begin before its turn
  * @param observer told how the operations do
  */
private[drizzle] final class BatchExecutor(
    previous: ExecutorService,
    batchOf: Runnable => Long,
    mayBeginEarly: Runnable => Boolean,
    observer: BatchExecutor.Observer
) extends ThreadPoolExecutor(
      0,
      Int.MaxValue,
      60,
      TimeUnit.SECONDS,
      new SynchronousQueue[Runnable],
      ThreadUtils.namedThreadFactory("streaming-job-executor")
    ) {

  private final class Operation(val run: Runnable, val batch: Long, val turn: Turn) {
    val isEarly: Boolean = mayBeginEarly(run)
    val handedNs: Long = System.nanoTime()
    var hasBegunEarly = false
  }

  // All below is guarded by this.
  private val unfinished = mutable.LinkedHashSet.empty[Operation]
  private val waiting = mutable.Queue.empty[Operation]
  private val running = mutable.HashSet.empty[Operation]
  private var last: CompletableFuture[Long] = _
  private var isClosing = false

  override def execute(run: Runnable): Unit = {
    synchronized {
      if (isClosing) {
        throw new RejectedExecutionException("No more batches are taken")
      }
      if (last == null) {
        // Whoever hands this one over has handed over all before it.
        last = CompletableFuture.supplyAsync(() => System.currentTimeMillis(), previous)
        last.whenComplete((_, _) => begin())
      }
      val operation = new Operation(run, batchOf(run), new Turn(last))
      last = operation.turn.ended
      unfinished += operation
      waiting += operation
    }
    begin()
  }

  /** The batches that are under way, or are so as soon as their turn comes. */
  private def batches: collection.Set[Long] =
    running.map(_.batch) ++ unfinished.headOption.map(_.batch)

  /** Begins what may begin. */
  private def begin(): Unit = synchronized {
    val size = observer.groupSize
    var isFull = false
    waiting.dequeueAll { operation =>
      val hasRoom = batches(operation.batch) || batches.size < size
      val canBeEarly = operation.isEarly && size > 1 && hasRoom
      val begins = operation.turn.hasCome || canBeEarly
      isFull |= operation.isEarly && !begins
      if (begins) {
        operation.turn.begunBefore = unfinished.iterator
          .takeWhile(_ ne operation)
          .filter(earlier => earlier.isEarly && running(earlier))
          .map(_.turn)
          .toVector
        running += operation
        operation.hasBegunEarly = !operation.turn.hasCome
        observer.begun(operation.hasBegunEarly)
        super.execute(() => run(operation))
      }
      begins
    }
    observer.waiting(isFull)
    if (isClosing && waiting.isEmpty) {
      super.shutdown()
    }
  }

  private def run(operation: Operation): Unit = {
    val begunNs = System.nanoTime()
    try
      Turn.during(operation.turn) {
        operation.run.run()
        operation.turn.await()
      }
    finally {
      operation.turn.markSubmitted()
      // Or each would keep the one before it, for ever.
      operation.turn.begunBefore = Seq.empty
      synchronized {
        running -= operation
        unfinished -= operation
        observer.ended(operation.run, timing(operation, begunNs), unfinished.isEmpty)
      }
      // Unless this thread was interrupted, the turn has come.
      operation.turn.before.whenComplete { (_, _) =>
        operation.turn.ended.complete(System.currentTimeMillis())
        begin()
      }
    }
  }

  private def timing(operation: Operation, begunNs: Long): BatchExecutor.Timing = {
    val waitedNs = operation.turn.waitedNs
    BatchExecutor.Timing(
      operation.hasBegunEarly,
      begunNs - operation.handedNs,
      System.nanoTime() - begunNs - waitedNs,
      waitedNs
    )
  }

  override def shutdown(): Unit = synchronized {
    isClosing = true
    previous.shutdown()
    begin()
  }

  override def shutdownNow(): JList[Runnable] = {
    val dropped = synchronized {
      isClosing = true
      val all = new ArrayList[Runnable]
      waiting.foreach(operation => all.add(operation.run))
      waiting.clear()
      unfinished.filterInPlace(running)
      all
    }
    previous.shutdownNow()
    super.shutdownNow()
    Collections.unmodifiableList(dropped)
  }

  override def isShutdown: Boolean = synchronized(isClosing)
}

private[drizzle] object BatchExecutor {

  /** Where an operation's time went, in nanoseconds.
    *
    * @param isEarly whether it began before its turn
    * @param toBeginNs from when it was handed over until it began
    * @param ranNs what it did itself, with its jobs
    * @param forTurnNs how long it waited for its turn
    */
  final case class Timing(isEarly: Boolean, toBeginNs: Long, ranNs: Long, forTurnNs: Long)

  /** Decides how many batches may be under way, and is told how they do. Called under the executor's
    * lock.
    */
  trait Observer {
    def groupSize: Int

    /** An output operation has begun, before its turn or when it came. */
    def begun(isEarly: Boolean): Unit

    /** One has ended.
      *
      * @param isIdle whether it was the last: none runs, and none is to begin
      */
    def ended(operation: Runnable, timing: Timing, isIdle: Boolean): Unit

    /** What could begin has begun.
      *
      * @param isFull whether something could have begun early if the group were larger
      */
    def waiting(isFull: Boolean): Unit
  }
}
