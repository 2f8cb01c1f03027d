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

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Semaphore, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.Future
import scala.jdk.CollectionConverters._

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterEach, Test}

import org.apache.spark.{SecurityManager, SparkConf}
import org.apache.spark.rpc.{RpcCallContext, RpcEndpointRef, RpcEnv, ThreadSafeRpcEndpoint}

final class OutboxTest {
  private val conf = new SparkConf(false)
  private val env = RpcEnv.create("outbox", "127.0.0.1", 0, conf, new SecurityManager(conf))
  private val courier = new Courier("outbox-test", Transport.Direct)
  private val received = new ConcurrentLinkedQueue[Vector[Integer]]
  private val mayReceive = new Semaphore(0)

  /** Whether the next messages are. */
  private val isTaken = new AtomicBoolean(true)

  @AfterEach
  def stop(): Unit = {
    courier.close()
    env.shutdown()
    env.awaitTermination()
  }

  @Test
  def whatWaitsGoesTogetherAndInOrder(): Unit = {
    val all = new CountDownLatch(1000)
    val receiver = listen(all)
    val outbox = courier.outbox(() => receiver)
    (1 to 1000).foreach(i => outbox.send(Integer.valueOf(i)))
    mayReceive.release(1000)
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.flatten.map(_.intValue)).isEqualTo(1 to 1000)
    // The first ones were on their way, the others waited for them.
    assertThat(received.size).isLessThan(1000)
  }

  @Test
  def whatCanWaitGoesWithWhatCannotOrByItselfInTheEnd(): Unit = {
    val (together, all) = (new CountDownLatch(3), new CountDownLatch(4))
    val receiver = listen(together, all)
    mayReceive.release(10)
    val outbox = courier.outbox(() => receiver)
    outbox.synchronized {
      outbox.sendLater(Integer.valueOf(1))
      outbox.sendLater(Integer.valueOf(2), () => false)
      outbox.sendLater(Integer.valueOf(3))
      outbox.send(Integer.valueOf(4))
    }
    assertThat(together.await(30, TimeUnit.SECONDS)).isTrue
    outbox.sendLater(Integer.valueOf(5))
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.map(_.map(_.intValue)))
      .isEqualTo(Seq(Vector(1, 3, 4), Vector(5)))
  }

  @Test
  def whatCanWaitLongGoesWithWhatComesSooner(): Unit = {
    val all = new CountDownLatch(3)
    val receiver = listen(all)
    mayReceive.release(10)
    val outbox = courier.outbox(() => receiver)
    outbox.synchronized {
      outbox.sendLater(Integer.valueOf(1), withinMs = TimeUnit.MINUTES.toMillis(10))
      outbox.sendLater(Integer.valueOf(2), withinMs = 50)
      outbox.sendLater(Integer.valueOf(3), withinMs = TimeUnit.MINUTES.toMillis(10))
    }
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.map(_.map(_.intValue))).isEqualTo(Seq(Vector(1, 2, 3)))
  }

  @Test
  def whatCannotBeSentIsSentLater(): Unit = {
    val all = new CountDownLatch(2)
    val receiver = listen(all)
    mayReceive.release(10)
    val tries = new AtomicInteger
    val outbox = courier.outbox { () =>
      if (tries.incrementAndGet() == 1) throw new IllegalStateException("no connection")
      receiver
    }
    outbox.send(Integer.valueOf(1))
    outbox.send(Integer.valueOf(2))
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.flatten.map(_.intValue)).isEqualTo(Seq(1, 2))
  }

  @Test
  def whatCannotBeWrittenIsToldAndOthersAreSent(): Unit = {
    val all = new CountDownLatch(3)
    val receiver = listen(all)
    mayReceive.release(10)
    val failures = new ConcurrentLinkedQueue[Throwable]
    val outbox = courier.outbox(() => receiver)
    def fail(cause: Throwable): Unit =
      outbox.send(throw cause, failed = e => { failures.add(e); throw new IllegalStateException })
    val causes = Seq(new OutOfMemoryError("too long"), new IllegalArgumentException("no form"))
    outbox.synchronized {
      outbox.send(Integer.valueOf(1))
      fail(causes.head)
      outbox.send(Integer.valueOf(2))
      fail(causes.last)
    }
    outbox.send(Integer.valueOf(3))
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.flatten.map(_.intValue)).isEqualTo(Seq(1, 2, 3))
    assertThat(failures.asScala.toSeq).isEqualTo(causes)
  }

  @Test
  def whatIsTooLongTogetherGoesInSeveralMessages(): Unit = {
    val all = new CountDownLatch(5)
    val receiver = listen(all)
    mayReceive.release(10)
    val outbox = courier.outbox(() => receiver)
    outbox.synchronized {
      for (_ <- 1 to 5) outbox.send(new Array[Byte](Outbox.MostBytes / 2))
    }
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.map(_.length)).isEqualTo(Seq(2, 2, 1))
  }

  @Test
  def theReceiverIsLookedForAgainAfterAFailureOnly(): Unit = {
    val answers = new ConcurrentLinkedQueue[Boolean](java.util.List.of(true, true, false, true))
    val sent = new Semaphore(0)
    val failing = new Transport {
      override val againMs: Long = 1L

      override def ask(endpoint: RpcEndpointRef, bytes: Array[Byte]): Future[Boolean] =
        if (answers.poll()) {
          sent.release()
          Future.successful(true)
        } else {
          Future.failed(new IllegalStateException("no answer"))
        }

      override def close(): Unit = ()
    }
    val receiver = listen()
    val tries = new AtomicInteger
    val other = new Courier("outbox-test-failing", failing)
    try {
      val outbox = other.outbox { () =>
        tries.incrementAndGet()
        receiver
      }
      val triesAfterEach = (1 to 3).map { i =>
        outbox.send(Integer.valueOf(i))
        assertThat(sent.tryAcquire(30, TimeUnit.SECONDS)).isTrue
        tries.get
      }
      assertThat(triesAfterEach).isEqualTo(Seq(1, 1, 2))
    } finally other.close()
  }

  @Test
  def whatIsNotTakenIsMadeAnew(): Unit = {
    val all = new CountDownLatch(2)
    isTaken.set(false)
    val receiver = listen(all)
    mayReceive.release(10)
    val made = new AtomicInteger
    val answers = new ConcurrentLinkedQueue[(Seq[Serializable], Boolean)]
    val outbox = courier.outbox(
      () => receiver,
      () => true,
      (messages, areTaken) => answers.add((messages, areTaken))
    )
    outbox.send(Integer.valueOf(made.incrementAndGet()))
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    // Those that come later wait for that.
    val last = new CountDownLatch(1)
    outbox.send({ last.countDown(); Integer.valueOf(9) })
    assertThat(last.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.flatten.map(_.intValue).take(2)).isEqualTo(Seq(1, 2))
    assertThat(answers.asScala.toSeq.take(2))
      .isEqualTo(Seq((Seq(Integer.valueOf(1)), false), (Seq(Integer.valueOf(2)), true)))
  }

  @Test
  def whatIsNotWantedAnyMoreIsNotSent(): Unit = {
    val all = new CountDownLatch(1)
    val receiver = listen(all)
    mayReceive.release(10)
    val outbox = courier.outbox(() => receiver)
    outbox.send(Integer.valueOf(1), () => false)
    outbox.send(Integer.valueOf(2))
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue
    assertThat(received.asScala.toSeq.flatten.map(_.intValue)).isEqualTo(Seq(2))
  }

  private def listen(each: CountDownLatch*): RpcEndpointRef = env.setupEndpoint(
    "receiver",
    new ThreadSafeRpcEndpoint {
      override val rpcEnv: RpcEnv = env

      override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
        case bytes: Array[Byte] =>
          mayReceive.acquire()
          val messages = MessageCodec.read[Integer](bytes)
          received.add(messages)
          call.reply(isTaken.getAndSet(true))
          messages.indices.foreach(_ => each.foreach(_.countDown()))
      }
    }
  )
}
