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

import scala.concurrent.{ExecutionContext, ExecutionContextExecutorService}
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.rpc.RpcEndpointRef
import org.apache.spark.util.ThreadUtils

/** Sends messages on threads of its own, again and again until they are answered. So a receiver may
  * get one twice, or after one that was sent later. Safe for use by several threads.
  */
private[drizzle] final class Courier(name: String) extends Logging {
  private val timer = ThreadUtils.newDaemonSingleThreadScheduledExecutor(s"$name-again")

  private implicit val senders: ExecutionContextExecutorService =
    ExecutionContext.fromExecutorService(
      ThreadUtils.newDaemonCachedThreadPool(s"$name-send", Courier.Senders)
    )

  /** @param to may have to connect
    * @param isWanted asked each time before the message is sent
    */
  def deliver(
      to: () => RpcEndpointRef,
      message: => Serializable,
      isWanted: () => Boolean = () => true
  ): Unit = {
    lazy val bytes = Wire.bytes(message)
    def attempt(): Unit = if (isWanted()) {
      try
        to().ask[Boolean](bytes).onComplete {
          case Success(_) =>
          case Failure(e) => again(e)
        }
      catch { case NonFatal(e) => again(e) }
    }
    def again(cause: Throwable): Unit = {
      logDebug(s"A message is sent again in ${Courier.AgainMs} ms", cause)
      Try(timer.schedule((() => run()): Runnable, Courier.AgainMs, TimeUnit.MILLISECONDS))
    }
    def run(): Unit =
      try senders.execute(() => attempt())
      catch { case _: RejectedExecutionException => logDebug("Closed: a message is not sent") }
    run()
  }

  def close(): Unit = {
    timer.shutdownNow()
    senders.shutdownNow()
  }
}

private[drizzle] object Courier {
  private val Senders = 8
  private val AgainMs = 1000L
}
