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

import java.util.concurrent.TimeUnit

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.FiniteDuration
import scala.util.Random

import org.apache.spark.SparkConf
import org.apache.spark.rpc.{RpcEndpointRef, RpcTimeout}
import org.apache.spark.util.ThreadUtils

/** Takes bytes to an endpoint. Safe for use by several threads. */
private[drizzle] trait Transport {

  /** After this many milliseconds is sent again what has not been answered. */
  def againMs: Long

  /** @return fails unless the endpoint has answered */
  def ask(endpoint: RpcEndpointRef, bytes: Array[Byte]): Future[Boolean]

  def close(): Unit
}

private[drizzle] object Transport {

  /** How long it may take an endpoint to answer what has come. */
  private val AnswerSeconds = 10

  /** Of a network that all executors of a cluster are using. */
  private val LeastBytesPerSecond = 1 << 20

  /** Spark's RPC, with faults if that is wanted.
    *
    * @param of the sender, so that each has faults of its own
    */
  def of(conf: SparkConf, of: String): Transport = conf.get(DrizzleKeys.FaultsSeed) match {
    case None       => Direct
    case Some(seed) => new FaultyTransport(seed * 31 + of.hashCode)
  }

  object Direct extends Transport {
    override val againMs: Long = 1000L

    /** Longer for many bytes: those that need more time than they are given are sent again without end. */
    override def ask(endpoint: RpcEndpointRef, bytes: Array[Byte]): Future[Boolean] = {
      val seconds = AnswerSeconds + bytes.length / LeastBytesPerSecond
      val timeout =
        new RpcTimeout(
          new FiniteDuration(seconds.toLong, TimeUnit.SECONDS),
          "the answer of a Freshet endpoint"
        )
      endpoint.ask[Boolean](bytes, timeout)
    }

    override def close(): Unit = ()
  }
}

/** Loses, delays and repeats some of what it takes, for tests; a seed decides what. */
private[drizzle] final class FaultyTransport(seed: Long) extends Transport {
  private val timer = ThreadUtils.newDaemonSingleThreadScheduledExecutor("drizzle-faults")
  private implicit val onTimer: ExecutionContext = ExecutionContext.fromExecutor(timer)
  private val random = new Random(seed)

  override val againMs: Long = 20L

  override def ask(endpoint: RpcEndpointRef, bytes: Array[Byte]): Future[Boolean] = {
    val (fate, ms) = synchronized((random.nextInt(10), random.nextInt(FaultyTransport.MostMs)))
    def send = Transport.Direct.ask(endpoint, bytes)
    fate match {
      case 0 => Future.failed(new FaultyTransport.Fault("a message was lost"))
      case 1 => send.flatMap(_ => Future.failed(new FaultyTransport.Fault("an answer was lost")))
      case 2 => later(ms)(send)
      case 3 =>
        // It may come after messages that are sent later.
        later(ms)(send)
        send
      case _ => send
    }
  }

  private def later(ms: Int)(send: => Future[Boolean]): Future[Boolean] = {
    val answer = Promise[Boolean]()
    timer.schedule(
      (() => answer.completeWith(send)): Runnable,
      ms.toLong,
      TimeUnit.MILLISECONDS
    )
    answer.future
  }

  override def close(): Unit = timer.shutdownNow()
}

private[drizzle] object FaultyTransport {
  private val MostMs = 50

  private final class Fault(what: String) extends Exception(what)
}
