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

import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.col

/** Queries of Structured Streaming, whose batches have always as many rows and follow each other at once: what a batch
  * takes, by the progress that Spark reports. Waits for requests on its standard input; to each, it runs all queries and
  * prints, for each, a line with a hash of the last batch's result, and one for each of [[Phases]] with the milliseconds
  * of each batch. `waiting` says that the next request may come. What every batch counts is compared with what there is.
  */
object StreamedQueries {

  /** Rows are numbered through all batches; so many are in each. */
  private val RowsOfBatch = 3000
  private val Maps = 4
  private val ShufflePartitions = 8

  /** Of Spark's durations of a batch: its jobs, with all that the sink does, and the whole of it. */
  val Phases: Seq[String] = Seq("addBatch", "triggerExecution")

  /** Batches of a query that has just been started, before those that are measured. */
  private val Settling = 5

  /** A query that counts rows by keys.
    *
    * @param keys how many there are, of each of which there are as many rows
    * @param settings of the session in which it is started
    */
  private[bench] sealed abstract class Query(
      val name: String,
      val keys: Int,
      val settings: Map[String, String] = Map.empty
  ) {

    /** What is streamed. */
    def of(rows: DataFrame): DataFrame

    /** What is then asked of a batch. */
    def counts(batch: DataFrame): DataFrame

    /** The count of each key after a batch, from 0 on. */
    def expected(batch: Long): Long
  }

  /** Two stages, of which the second reads and writes the state. Each batch changes all of it, so its result is the state. */
  private object InState extends Query("streamed counts, kept in state", 1000) {
    override def of(rows: DataFrame): DataFrame =
      rows.groupBy((col("value") % keys).as("key")).count()

    override def counts(batch: DataFrame): DataFrame = batch

    override def expected(batch: Long): Long = (batch + 1) * RowsOfBatch / keys
  }

  /** Filtered and mapped; the function that gets the batches counts each. */
  private sealed class OfEachBatch(name: String, settings: Map[String, String])
      extends Query(name, 100, settings) {
    private val Every = 3

    override def of(rows: DataFrame): DataFrame =
      rows.where(col("value") % Every === 0).select((col("value") % keys).as("key"))

    override def counts(batch: DataFrame): DataFrame = batch.groupBy("key").count()

    override def expected(batch: Long): Long = (RowsOfBatch / Every / keys).toLong
  }

  /** As Spark does it: each stage is a job. */
  private object Adaptive extends OfEachBatch("streamed counts, of each batch", Map.empty)

  /** Both stages are one job. */
  private object PlannedAtOnce
      extends OfEachBatch(
        "streamed counts, of each batch, planned at once",
        Map("spark.sql.adaptive.streaming.stateless.enabled" -> "false")
      )

  private[bench] val Queries: Seq[Query] = Seq(InState, Adaptive, PlannedAtOnce)

  /** @param arguments
    *   a directory for checkpoints; how many batches of each query are measured for a request
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(directory, batches) =>
      val sc = Applications.start("Streamed queries")
      try {
        val spark = session()
        def runAll(): Seq[String] =
          Queries.flatMap(run(spark, _, Path.of(directory), batches.toInt))
        Applications.warmUp(sc) {
          runAll()
          ()
        }
        println("waiting")
        Source.stdin.getLines().foreach { _ =>
          runAll().foreach(println)
          println("waiting")
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: StreamedQueries DIRECTORY BATCHES")
      sys.exit(2)
  }

  /** In the running context. */
  private[bench] def session(): SparkSession = SparkSession
    .builder()
    .config("spark.sql.shuffle.partitions", ShufflePartitions.toString)
    .config(
      "spark.sql.streaming.stateStore.providerClass",
      "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    )
    // All of a request's.
    .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
    .getOrCreate()

  /** Runs a query from its first batch on.
    *
    * @return the lines to be printed
    */
  private[bench] def run(
      spark: SparkSession,
      query: Query,
      directory: Path,
      batches: Int
  ): Seq[String] = {
    val all = Settling + batches
    val ended = new CountDownLatch(1)
    @volatile var last = Seq.empty[(Long, Long)]
    // A query keeps the settings with which it was started.
    query.settings.foreach { case (key, value) => spark.conf.set(key, value) }
    val running = query
      .of(rows(spark))
      .writeStream
      .outputMode("update")
      .option("checkpointLocation", Files.createTempDirectory(directory, "checkpoint").toString)
      .foreachBatch { (batch: DataFrame, id: Long) =>
        if (id < all) {
          last = counted(query, batch, id)
        } else {
          // The progress of all before it is known now; it has no job to be cancelled.
          ended.countDown()
          new CountDownLatch(1).await()
        }
      }
      .start()
    query.settings.keys.foreach(spark.conf.unset)
    try {
      while (!ended.await(100, TimeUnit.MILLISECONDS))
        running.exception.foreach(throw _)
      val measured = running.recentProgress.toSeq
        .filter(progress => progress.batchId >= Settling && progress.batchId < all)
        .map(_.durationMs.asScala)
      require(
        measured.length == batches,
        s"The progress of ${measured.length} of $batches batches is known"
      )
      s"result\t${query.name}\t${last.length}\t${MurmurHash3.seqHash(last)}" +:
        Phases.map { phase =>
          s"streamed\t${query.name}\t$phase\t${measured.map(_(phase)).mkString(",")}"
        }
    } finally running.stop()
  }

  private def rows(spark: SparkSession): DataFrame = spark.readStream
    .format("rate-micro-batch")
    .option("rowsPerBatch", RowsOfBatch.toLong)
    .option("numPartitions", Maps.toLong)
    .load()

  private def counted(query: Query, batch: DataFrame, id: Long): Seq[(Long, Long)] = {
    val counts =
      query.counts(batch).collect().map(row => (row.getLong(0), row.getLong(1))).toSeq.sorted
    require(
      counts == (0L until query.keys.toLong).map((_, query.expected(id))),
      s"Batch $id of ${query.name} has ${counts.length} keys with ${counts.map(_._2).sum} rows"
    )
    counts
  }
}
