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

import java.nio.file.{Files, Path, StandardOpenOption}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, ForeachWriter, Row, SparkSession}
import org.apache.spark.sql.execution.streaming.LowLatencyMemoryStream
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.streaming.Trigger
import org.assertj.core.api.Assertions.{assertThat, catchThrowableOfType}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Spark's real-time mode, whose tasks run for seconds and write what comes meanwhile. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RealTimeModeTest {
  import RealTimeModeTest._

  private var sc: SparkContext = _
  private var spark: SparkSession = _

  @BeforeAll
  def start(): Unit = {
    sc = TestCluster.start()
    spark = SparkSession.builder().getOrCreate()
  }

  @AfterAll
  def stop(): Unit = spark.stop()

  /** Which campaign each view of an ad belongs to, as in the Yahoo streaming benchmark. */
  private def viewed(events: LowLatencyMemoryStream[(Int, String)]): DataFrame = {
    val campaigns =
      spark.range(Ads).select(col("id").cast("int").as("ad"), (col("id") % 3).as("campaign"))
    events
      .toDF()
      .toDF("ad", "kind")
      .where(col("kind") === "view")
      .join(campaigns, "ad")
      .select("campaign", "ad")
  }

  private def stream(): LowLatencyMemoryStream[(Int, String)] = {
    implicit val encoder: Encoder[(Int, String)] = Encoders.product[(Int, String)]
    LowLatencyMemoryStream[(Int, String)](2)(encoder, spark)
  }

  private def startedWith(writer: DataStreamWriter[Row], checkpoint: Path): StreamingQuery =
    writer
      .outputMode("update")
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.RealTime(BatchMs))
      .start()

  @Test
  def rowsAreWrittenWhileABatchIsUnderWay(@TempDir directory: Path): Unit = {
    val dispatched = TestCluster.source(sc).dispatched.getCount
    val events = stream()
    val written = Files.createDirectory(directory.resolve("written"))
    val query =
      startedWith(
        viewed(events).writeStream.foreach(new Lines(written.toString)),
        directory.resolve("checkpoint")
      )
    try {
      val views = for (i <- 1 to 3; ad <- 0 until Ads) yield {
        events.addData(Seq((ad, "view"), (ad, "click")))
        val expected = s"${ad % 3} $ad"
        TestCluster.await {
          query.exception.foreach(throw _)
          lines(written).count(_ == expected) == i
        }
        expected
      }
      assertThat(lines(written).sorted.asJava).isEqualTo(views.sorted.asJava)
      assertThat(TestCluster.source(sc).dispatched.getCount).isGreaterThan(dispatched)
    } finally query.stop()
  }

  /** So the query of the Yahoo streaming benchmark cannot run in that mode, with or without Freshet. */
  @Test
  def sparkRefusesToCount(@TempDir directory: Path): Unit = {
    val counts = viewed(stream()).groupBy("campaign").count()
    val query =
      startedWith(
        counts.writeStream.foreach(new Lines(directory.toString)),
        directory.resolve("checkpoint")
      )
    try {
      val refused = catchThrowableOfType(
        classOf[StreamingQueryException],
        () => { query.awaitTermination(60000); () }
      )
      assertThat(refused).isNotNull()
      assertThat(refused.getMessage).contains("OPERATOR_OR_SINK_NOT_IN_ALLOWLIST", "HashAggregate")
    } finally query.stop()
  }

  private def lines(directory: Path): Seq[String] =
    directory.toFile.listFiles.toSeq.flatMap(file => Files.readAllLines(file.toPath).asScala)
}

private object RealTimeModeTest {
  private val Ads = 7
  private val BatchMs = 60000L

  /** Appends each row to a file of its partition. */
  final class Lines(directory: String) extends ForeachWriter[Row] {
    private var file: Path = _

    override def open(partition: Long, epoch: Long): Boolean = {
      file = Path.of(directory, s"$partition-$epoch")
      true
    }

    override def process(row: Row): Unit = {
      Files.writeString(
        file,
        row.mkString(" ") + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND
      )
      ()
    }

    override def close(error: Throwable): Unit = ()
  }
}
