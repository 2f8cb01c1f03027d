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
import org.apache.spark.streaming.{Milliseconds, State, StateSpec, StreamingContext, Time}
import org.apache.spark.streaming.dstream.DStream

/** Word count in the state of a stream. Offsets and state are in Spark's checkpoint, from which a driver goes
  * on; a file shows the sums of the last batch. Fails if batches of one driver come out of order.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object CountsInState {
  private var last = 0L

  /** @param arguments `host:port` of a broker, topic, its partitions, milliseconds between batches, file,
    *   directory of the checkpoint, and the operator: `updateStateByKey` or `mapWithState`
    */
  def main(arguments: Array[String]): Unit = {
    val streaming = StreamingContext.getOrCreate(arguments(5), () => declare(arguments))
    streaming.start()
    streaming.awaitTermination()
  }

  private def declare(arguments: Array[String]): StreamingContext = {
    val lines = KafkaLines(arguments(0), arguments(1), arguments(2).toInt)
    val streaming = new StreamingContext(new SparkConf, Milliseconds(arguments(3).toLong))
    val file = new CountsFile(arguments(4))
    streaming.checkpoint(arguments(5))
    val words = lines.stream(streaming, Map.empty).flatMap(_.value.split(' ')).map((_, 1L))
    sums(words, arguments(6)).foreachRDD { (rdd, time) =>
      val counts = rdd.collect()
      show(file, time, counts)
    }
    streaming
  }

  private def sums(words: DStream[(String, Long)], operator: String): DStream[(String, Long)] =
    operator match {
      case "updateStateByKey" =>
        words.updateStateByKey((now: Seq[Long], before: Option[Long]) =>
          Some(before.getOrElse(0L) + now.sum)
        )
      case "mapWithState" =>
        val add = (_: String, now: Option[Long], before: State[Long]) =>
          before.update(before.getOption().getOrElse(0L) + now.getOrElse(0L))
        words.mapWithState(StateSpec.function(add)).stateSnapshots()
      case _ => throw new IllegalArgumentException(s"$operator is no operator with state")
    }

  private def show(file: CountsFile, time: Time, counts: Array[(String, Long)]): Unit = {
    require(time.milliseconds > last, s"The batch of $time comes after that of $last")
    last = time.milliseconds
    file.write(WordCounts(Map.empty, counts.toMap))
  }
}
