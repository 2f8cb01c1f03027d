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

import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.deploy.StandaloneSpark
import org.apache.spark.scheduler.drizzle.DrizzlePlugin
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.kafka010.HasOffsetRanges
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.kafka.KafkaLines
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}

/** Direct streams in a driver with the scheduler, whose executors are processes. */
@nowarn("cat=deprecation") // DStreams are what many have.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DirectStreamTest {
  import DirectStreamTest._

  private val place = Places.fresh("direct-stream")
  private var broker: KafkaBroker = _
  private var spark: StandaloneSpark = _
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = {
    broker = KafkaBroker.start(place)
    spark = new StandaloneSpark(place)
    val conf = new SparkConf(false)
      .setMaster(spark.url)
      .setAppName("direct streams")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.executor.extraClassPath", JavaProcess.classPath)
      .set("spark.executor.memory", "512m")
      .set("spark.streaming.gracefulStopTimeout", "120s")
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
    sc = new SparkContext(conf)
  }

  @AfterAll
  def stop(): Unit = Seq[AutoCloseable](() => if (sc != null) sc.stop(), spark, broker)
    .filter(_ != null)
    .foreach(_.close())

  @Test
  @Timeout(300)
  def aTopicIsReadAndCounted(): Unit = {
    broker.createTopic("read", Partitions)
    val words = new KnownWords(broker, "read", 1)
    try {
      words.write(200)
      val streaming = new StreamingContext(sc, Milliseconds(200))
      KafkaLines(broker.address, "read", Partitions).stream(streaming, Map.empty).foreachRDD { rdd =>
        val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
        val counts = rdd.flatMap(_.value.split(' ')).map((_, 1L)).reduceByKey(_ + _).collect()
        Seen.add((ranges.toSeq.map(r => (r.partition, r.fromOffset, r.untilOffset)), counts.toMap))
      }
      streaming.start()
      try Waiting.until("count of all words")(Seen.total == words.counts.values.sum)
      finally streaming.stop(stopSparkContext = false, stopGracefully = false)
      assertThat(Seen.total).isEqualTo(words.counts.values.sum)
    } finally words.close()
  }
}

private object DirectStreamTest {
  val Partitions = 3

  object Seen {
    private val all = new ConcurrentLinkedQueue[(Seq[(Int, Long, Long)], Map[String, Long])]

    def add(batch: (Seq[(Int, Long, Long)], Map[String, Long])): Unit = { all.add(batch); () }

    def total: Long = all.asScala.map(_._2.values.sum).sum
  }
}
