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
package org.apache.spark.scheduler.drizzle.kafkatests

import java.util.{Properties, Random}
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.collection.mutable

import org.apache.kafka.clients.producer.{KafkaProducer, ProducerConfig, ProducerRecord}
import org.apache.kafka.common.serialization.StringSerializer
import org.freshet.drizzle.kafka.KafkaBroker

/** Writes lines of words to a topic, each line once, and counts the words itself.
  *
  * Safe for use by several threads.
  *
  * @param seed decides the words
  */
private[kafkatests] final class KnownWords(broker: KafkaBroker, topic: String, seed: Long)
    extends AutoCloseable {
  private val random = new Random(seed)
  private val all = mutable.HashMap.empty[String, Long].withDefaultValue(0L)
  private var clock: Option[ScheduledExecutorService] = None
  private var failure: Option[Throwable] = None

  private val producer = {
    val properties = new Properties
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address)
    properties.put(ProducerConfig.ACKS_CONFIG, "all")
    // What is sent again after a lost answer is not written twice.
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true")
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1")
    new KafkaProducer(properties, new StringSerializer, new StringSerializer)
  }

  /** Writes so many lines and waits until the broker has them. */
  def write(lines: Int): Unit = synchronized {
    val sent = Seq.fill(lines) {
      val words = Seq.fill(KnownWords.InLine)(s"w${random.nextInt(KnownWords.Distinct)}")
      words.foreach(word => all(word) += 1)
      producer.send(new ProducerRecord(topic, words.mkString(" ")))
    }
    producer.flush()
    sent.foreach(_.get(KnownWords.LimitSeconds, TimeUnit.SECONDS))
  }

  /** Writes so many lines every 50 ms until [[stop]]. */
  def writeSteadily(lines: Int): Unit = synchronized {
    val executor = Executors.newSingleThreadScheduledExecutor()
    executor.scheduleWithFixedDelay(
      () =>
        try write(lines)
        catch { case e: Exception => synchronized { failure = Some(e) } },
      0,
      50,
      TimeUnit.MILLISECONDS
    )
    clock = Some(executor)
  }

  /** Ends [[writeSteadily]]; all that was counted is at the broker then. */
  def stop(): Unit = {
    val running = synchronized {
      val now = clock
      clock = None
      now
    }
    running.foreach { executor =>
      executor.shutdown()
      require(executor.awaitTermination(KnownWords.LimitSeconds, TimeUnit.SECONDS))
    }
    synchronized(failure.foreach(e => throw new IllegalStateException("Not all was written", e)))
  }

  /** How often each word was written. */
  def counts: Map[String, Long] = synchronized(all.toMap)

  override def close(): Unit =
    try stop()
    finally producer.close(java.time.Duration.ofSeconds(1))
}

private[kafkatests] object KnownWords {
  val InLine = 5
  private val Distinct = 50
  private val LimitSeconds = 60L
}
