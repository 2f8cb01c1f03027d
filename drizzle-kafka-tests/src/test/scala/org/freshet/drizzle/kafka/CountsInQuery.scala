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

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}

/** Word count in the state of a streaming query. Offsets and state are in the query's checkpoint, from which a
  * driver goes on; a file shows the sums of the last batch. Fails if batches of one driver come out of order.
  */
object CountsInQuery {
  private var last = -1L

  /** @param arguments `host:port` of a broker, topic, its partitions, milliseconds between batches, file,
    *   directory of the checkpoint
    */
  def main(arguments: Array[String]): Unit =
    try start(arguments).awaitTermination()
    catch {
      // A query that goes on in the middle of a batch ends with that batch in Spark 4.1.0: its metrics
      // are of offsets that it has not asked for. What it has done is in the checkpoint.
      case e: StreamingQueryException if isOfMetrics(e.getCause) =>
        start(arguments).awaitTermination()
    }

  private def isOfMetrics(cause: Throwable): Boolean = cause match {
    case e: NullPointerException => e.getStackTrace.headOption.exists(_.getMethodName == "metrics")
    case _                       => false
  }

  private def start(arguments: Array[String]): StreamingQuery = {
    val file = new CountsFile(arguments(4))
    val show = (sums: DataFrame, batch: Long) => {
      require(batch > last, s"Batch $batch comes after $last")
      last = batch
      val counts = sums.collect().map(row => row.getString(0) -> row.getLong(1))
      file.write(WordCounts(Map.empty, counts.toMap))
    }
    SparkSession
      .builder()
      .getOrCreate()
      .readStream
      .format("kafka")
      .option("kafka.bootstrap.servers", arguments(0))
      .option("subscribe", arguments(1))
      .option("startingOffsets", "earliest")
      .load()
      .selectExpr("explode(split(CAST(value AS STRING), ' ')) AS word")
      .groupBy("word")
      .count()
      .writeStream
      .outputMode("complete")
      .option("checkpointLocation", arguments(5))
      .trigger(Trigger.ProcessingTime(arguments(3).toLong))
      .foreachBatch(show)
      .start()
  }
}
