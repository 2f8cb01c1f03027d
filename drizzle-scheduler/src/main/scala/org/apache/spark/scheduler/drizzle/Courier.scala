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

import java.util.concurrent.{RejectedExecutionException, TimeUnit}

import scala.collection.mutable
import scala.concurrent.ExecutionContext
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.rpc.RpcEndpointRef
import org.apache.spark.util.ThreadUtils

/** The threads that send messages. Safe for use by several threads. */
private[drizzle] final class Courier(name: String, private[drizzle] val transport: Transport)
    extends Logging {
  private val timer = ThreadUtils.newDaemonSingleThreadScheduledExecutor(s"$name-again")

  private val threads = ThreadUtils.newDaemonCachedThreadPool(s"$name-send", Courier.Senders)

  /** When it is closed, nothing is sent any more. */
  private[drizzle] implicit val senders: ExecutionContext = ExecutionContext.fromExecutor { run =>
    try threads.execute(run)
    catch { case _: RejectedExecutionException => logDebug("Closed: a message is not sent") }
  }

  /** @param connect called when there is something to send, and again after a failure
    * @param isThere whether what is not delivered is still to be
    * @param answered told of messages that were answered, and whether they were taken; those that were not are made
    *   anew and sent again
    */
  def outbox(
      connect: () => RpcEndpointRef,
      isThere: () => Boolean = () => true,
      answered: (Vector[Serializable], Boolean) => Unit = (_, _) => ()
  ): Outbox = new Outbox(this, connect, isThere, answered)

  def execute(run: => Unit): Unit = senders.execute(() => run)

  def later(ms: Long)(run: => Unit): Unit =
    Try(timer.schedule((() => execute(run)): Runnable, ms, TimeUnit.MILLISECONDS))

  def close(): Unit = {
    timer.shutdownNow()
    threads.shutdownNow()
    transport.close()
  }
}

/** Messages to one receiver. They are sent in order; those that come while others are on their way go
  * together, which makes them few when there are many, and so do those that can wait. What is not
  * answered is sent again, so the receiver may get messages twice, and after later ones. Safe for use
  * by several threads.
  */
private[drizzle] final class Outbox(
    courier: Courier,
    connect: () => RpcEndpointRef,
    isThere: () => Boolean,
    answered: (Vector[Serializable], Boolean) => Unit
) extends Logging {
  import courier.senders

  // All below is guarded by this.
  private val queue = mutable.Queue.empty[Outbox.Entry]
  private var isBusy = false
  private var isUrgent = false

  /** When those that can wait have to be sent, by the system's clock for intervals; empty if none waits. */
  private var dueNs = Option.empty[Long]

  /** Found once, since that may take long. Of one delivery after the other. */
  @volatile private var receiver = Option.empty[RpcEndpointRef]

  /** Sends a message as soon as may be.
    *
    * @param message made when it is sent, on another thread, and again if it has to be sent again
    * @param isWanted asked each time before
    * @param failed told why it cannot be sent at all
    */
  def send(
      message: => Serializable,
      isWanted: () => Boolean = () => true,
      failed: Throwable => Unit = e => logError("A message can't be sent", e)
  ): Unit = synchronized {
    queue += new Outbox.Entry(() => message, isWanted, failed)
    hurry()
  }

  /** Sends a message with the next that cannot wait, or later.
    *
    * @param withinMs how long it may wait, in milliseconds
    */
  def sendLater(
      message: => Serializable,
      isWanted: () => Boolean = () => true,
      withinMs: Long = Outbox.SoonMs
  ): Unit = synchronized {
    queue += new Outbox.Entry(
      () => message,
      isWanted,
      e => logError("A message can't be sent", e)
    )
    val latestNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs)
    if (dueNs.forall(_ - latestNs > 0)) {
      dueNs = Some(latestNs)
      courier.later(withinMs)(synchronized {
        if (dueNs.exists(_ - System.nanoTime() <= 0)) {
          hurry()
        }
      })
    }
  }

  private def hurry(): Unit = {
    isUrgent = true
    if (!isBusy) {
      isBusy = true
      courier.execute(deliver())
    }
  }

  private def deliver(): Unit = {
    val entries = synchronized {
      isUrgent = false
      dueNs = None
      queue.dequeueAll(_ => true)
    }
    deliver(entries.toVector)
  }

  private def deliver(entries: Vector[Outbox.Entry]): Unit = {
    val wanted = if (isThere()) entries.filter(_.isWanted()) else Vector.empty
    if (wanted.isEmpty) next() else deliver(wanted, wanted.length)
  }

  /** @param most how many of them may go together */
  private def deliver(wanted: Vector[Outbox.Entry], most: Int): Unit =
    try {
      val messages = wanted.take(most).map(_.message())
      val (bytes, count) = MessageCodec.bytes(messages, Outbox.MostBytes)
      try
        courier.transport
          .ask(connected(), bytes)
          .onComplete {
            case Success(areTaken) =>
              answered(messages.take(count), areTaken)
              deliver(if (areTaken) wanted.drop(count) else wanted)
            case Failure(e) => again(wanted, e)
          }
      catch { case NonFatal(e) => again(wanted, e) }
    } catch {
      // They take more memory than there is, or cannot be written at all. That is so again next time.
      case e: OutOfMemoryError => cannotSend(wanted, most, e)
      case NonFatal(e)         => cannotSend(wanted, most, e)
    }

  /** Those after the first may be sent nevertheless, and so may the first by itself. */
  private def cannotSend(wanted: Vector[Outbox.Entry], most: Int, cause: Throwable): Unit =
    if (most > 1) {
      deliver(wanted, 1)
    } else {
      try wanted.head.failed(cause)
      finally deliver(wanted.tail)
    }

  private def connected(): RpcEndpointRef = receiver.getOrElse {
    val found = connect()
    receiver = Some(found)
    found
  }

  private def again(entries: Vector[Outbox.Entry], cause: Throwable): Unit = {
    receiver = None
    val ms = courier.transport.againMs
    logDebug(s"${entries.length} messages are sent again in $ms ms", cause)
    courier.later(ms)(deliver(entries))
  }

  private def next(): Unit = {
    val isMore = synchronized {
      isBusy = isUrgent
      isBusy
    }
    if (isMore) {
      deliver()
    }
  }
}

private[drizzle] object Outbox {

  /** For so long, in milliseconds, may a message wait that somebody looks out for. */
  private val SoonMs = 5L

  /** So many bytes go together, and what the last message has more. */
  val MostBytes: Int = 16 << 20

  private final class Entry(
      val message: () => Serializable,
      val isWanted: () => Boolean,
      val failed: Throwable => Unit
  )
}

private[drizzle] object Courier {
  private val Senders = 8
}
