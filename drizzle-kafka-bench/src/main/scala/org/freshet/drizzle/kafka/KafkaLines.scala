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
package org.freshet.drizzle.kafka

import java.{lang => jl, util => ju}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.consumer.{ConsumerRecord, KafkaConsumer}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.StringDeserializer
import org.apache.spark.streaming.StreamingContext
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.kafka010.{ConsumerStrategies, KafkaUtils, LocationStrategies}

/** Lines of text in a topic.
  *
  * @param broker `host:port`
  * @param partitions how many the topic has
  */
@nowarn("cat=deprecation") // DStreams are what many have.
final case class KafkaLines(broker: String, topic: String, partitions: Int) {

  private val parameters = Map[String, Object](
    "bootstrap.servers" -> broker,
    "key.deserializer" -> classOf[StringDeserializer],
    "value.deserializer" -> classOf[StringDeserializer],
    "group.id" -> s"freshet-$topic",
    "auto.offset.reset" -> "earliest",
    "enable.auto.commit" -> jl.Boolean.FALSE
  )

  /** Where each partition ends now. */
  def ends: Map[Int, Long] =
    Using.resource(new KafkaConsumer[String, String](parameters.asJava)) { consumer =>
      val all = (0 until partitions).map(new TopicPartition(topic, _)).asJava
      consumer
        .endOffsets(all)
        .asScala
        .map { case (partition, end) =>
          partition.partition -> end.longValue
        }
        .toMap
    }

  /** A direct stream of them. Its partitions are assigned, not subscribed to: a group would wait for
    * the consumer of a driver that has died.
    *
    * @param from where each partition begins, unless a checkpoint knows it
    */
  def stream(
      streaming: StreamingContext,
      from: Map[Int, Long]
  ): InputDStream[ConsumerRecord[String, String]] = {
    val offsets = (0 until partitions).map { partition =>
      new TopicPartition(topic, partition) -> jl.Long.valueOf(from.getOrElse(partition, 0L))
    }.toMap
    KafkaUtils.createDirectStream(
      streaming,
      LocationStrategies.PreferConsistent,
      ConsumerStrategies.Assign[String, String](
        new ju.ArrayList(offsets.keySet.asJava),
        parameters.asJava,
        offsets.asJava
      )
    )
  }
}
