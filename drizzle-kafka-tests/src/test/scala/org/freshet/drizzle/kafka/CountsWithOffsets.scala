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

import scala.annotation.nowarn

import org.apache.spark.SparkConf
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.kafka010.{HasOffsetRanges, OffsetRange}

/** Word count without state in Spark: sums and offsets are kept together, in one file, and a driver goes on
  * from there. Fails if a batch does not begin where the one before it has ended.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object CountsWithOffsets {

  /** @param arguments `host:port` of a broker, topic, its partitions, milliseconds between batches, file */
  def main(arguments: Array[String]): Unit = {
    val lines = KafkaLines(arguments(0), arguments(1), arguments(2).toInt)
    val streaming = new StreamingContext(new SparkConf, Milliseconds(arguments(3).toLong))
    val file = new CountsFile(arguments(4))
    lines.stream(streaming, file.read().until).foreachRDD { rdd =>
      val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
      val counts = rdd.flatMap(_.value.split(' ')).map((_, 1L)).reduceByKey(_ + _).collect()
      add(file, ranges, counts)
    }
    streaming.start()
    streaming.awaitTermination()
  }

  private def add(
      file: CountsFile,
      ranges: Array[OffsetRange],
      counts: Array[(String, Long)]
  ): Unit = {
    val before = file.read()
    ranges.foreach { range =>
      val expected = before.until.getOrElse(range.partition, 0L)
      require(range.fromOffset == expected, s"$range follows $expected")
    }
    val until = ranges.map(range => range.partition -> range.untilOffset).toMap
    file.write(before + WordCounts(until, counts.toMap))
  }
}
