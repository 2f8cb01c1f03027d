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
package org.freshet.drizzle.bench

import java.nio.file.Path
import java.util.{Properties, SplittableRandom}
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.LockSupport

import scala.util.Using

import org.apache.kafka.clients.producer.{KafkaProducer, ProducerConfig, ProducerRecord}
import org.apache.kafka.common.serialization.StringSerializer
import org.freshet.drizzle.kafka.KafkaBroker

/** A Kafka broker with a topic of [[AdEvents]], to which events are written evenly, each at its time, for as long as
  * this process lives. What is at an offset is known but for its time. Prints the broker's address when there
  * are events.
  */
object AdEventWriter {
  val Topic = "ad-events"

  /** What fell behind by minutes need not be kept. */
  private val TopicSettings = Map("segment.bytes" -> (64 << 20), "retention.bytes" -> (128 << 20))

  /** @param arguments an empty directory for the broker; events a second */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(directory, rate) =>
      Using.resource(KafkaBroker.start(Path.of(directory))) { broker =>
        broker.createTopic(
          Topic,
          AdEvents.Maps,
          TopicSettings.map { case (key, value) => key -> value.toString }
        )
        Using.resource(producer(broker.address))(write(_, broker.address, rate.toInt))
      }
    case _ =>
      System.err.println("Usage: AdEventWriter DIRECTORY EVENTS_PER_SECOND")
      sys.exit(2)
  }

  private def write(
      producer: KafkaProducer[String, String],
      address: String,
      rate: Int
  ): Unit = {
    val random = new SplittableRandom(1)
    val failure = new AtomicReference[Exception]
    val beginNs = System.nanoTime()
    var written = 0L
    while (failure.get == null) {
      val due = rate * (System.nanoTime() - beginNs) / TimeUnit.SECONDS.toNanos(1)
      if (written == 0 && due > 0) {
        println(address)
      }
      while (written < due) {
        val (partition, i) = ((written % AdEvents.Maps).toInt, written / AdEvents.Maps)
        val nowMs = System.currentTimeMillis()
        producer.send(
          new ProducerRecord(Topic, partition, null, AdEvents.line(random, i, nowMs)),
          (_, failed) => if (failed != null) failure.set(failed)
        )
        written += 1
      }
      LockSupport.parkNanos(TickNs)
    }
    throw new IllegalStateException("Events can't be written", failure.get)
  }

  private def producer(address: String): KafkaProducer[String, String] = {
    val settings = new Properties
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address)
    settings.put(ProducerConfig.LINGER_MS_CONFIG, "1")
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, classOf[StringSerializer])
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, classOf[StringSerializer])
    new KafkaProducer[String, String](settings)
  }

  private val TickNs = TimeUnit.MILLISECONDS.toNanos(1)
}
