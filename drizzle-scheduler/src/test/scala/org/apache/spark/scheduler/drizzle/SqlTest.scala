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

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.{DataFrame, Dataset, Row, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Queries, written files and streams over executors that are processes. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlTest {
  private var sc: SparkContext = _
  private var spark: SparkSession = _

  @BeforeAll
  def start(): Unit = {
    sc = TestCluster.start()
    spark = SparkSession
      .builder()
      .config("spark.sql.shuffle.partitions", "3")
      .config("spark.sql.autoBroadcastJoinThreshold", "-1")
      .config("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false")
      .getOrCreate()
    // Tasks that are meant to fail are warned of.
    sc.setLogLevel("ERROR")
  }

  @AfterAll
  def stop(): Unit = spark.stop()

  private def orders: Seq[(Int, Int, Long)] = {
    val random = new Random(7)
    (1 to 2000).map(i => (i, random.nextInt(50), random.nextInt(1000).toLong))
  }

  private def ordersFrame: DataFrame =
    spark.createDataFrame(sc.parallelize(orders, 5)).toDF("id", "customer", "amount")

  private def source: DrizzleSource = TestCluster.source(sc)

  @Test
  def adaptiveQueriesComputeWhatCollectionsDo(): Unit = {
    val dispatched = source.dispatched.getCount
    val regions = (0 until 40).map(c => (c, s"r${c % 6}"))
    val query = ordersFrame
      .join(
        spark.createDataFrame(sc.parallelize(regions, 3)).toDF("customer", "region"),
        "customer"
      )
      .groupBy("region")
      .agg(sum("amount"), countDistinct("customer"), max("id"))
      .orderBy("region")
    val regionOf = regions.toMap
    val expected = orders
      .filter(o => regionOf.contains(o._2))
      .groupBy(o => regionOf(o._2))
      .toSeq
      .sortBy(_._1)
      .map { case (region, of) =>
        Row(region, of.map(_._3).sum, of.map(_._2).distinct.size.toLong, of.map(_._1).max)
      }
    assertThat(query.collect().toSeq.asJava).isEqualTo(expected.asJava)
    assertThat(query.queryExecution.executedPlan).isInstanceOf(classOf[AdaptiveSparkPlanExec])
    assertThat(source.dispatched.getCount).isGreaterThan(dispatched + 3)
  }

  @Test
  def metricsOfAQueryCountWhatSucceeded(): Unit = {
    val failing = udf { (id: Int) =>
      val task = TaskContext.get()
      require(task.attemptNumber() > 0 || task.partitionId() > 1, "This task is meant to fail")
      id
    }
    val query = ordersFrame
      .where(failing(col("id")) <= 1500)
      .groupBy("customer")
      .agg(sum("amount").as("amount"))
    val expected = orders.filter(_._1 <= 1500)
    assertThat(query.collect().map(_.getLong(1)).sum).isEqualTo(expected.map(_._3).sum)
    val rows = operators(query.queryExecution.executedPlan).flatMap { plan =>
      plan.metrics.get("numOutputRows").map(metric => plan.nodeName -> metric.value)
    }
    assertThat(rows.collect { case ("Filter", n) => n }.asJava).isEqualTo(Seq(1500L).asJava)
    assertThat(rows.collect { case ("HashAggregate", n) => n }.min)
      .isEqualTo(expected.map(_._2).distinct.size.toLong)
  }

  private def operators(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => operators(adaptive.executedPlan)
    case stage: QueryStageExec           => operators(stage.plan)
    case other                           => other +: other.children.flatMap(operators)
  }

  @Test
  def filesHoldWhatOneAttemptOfEachTaskHasWritten(@TempDir directory: Path): Unit = {
    val failing = udf { (id: Int) =>
      val task = TaskContext.get()
      // Half way, so part of a file has been written.
      require(task.attemptNumber() > 0 || id % 400 != 250, "This task is meant to fail")
      id
    }
    Seq("parquet", "csv").foreach { format =>
      val to = directory.resolve(format).toString
      val written = ordersFrame
        .select(failing(col("id")).as("id"), (col("customer") % 5).as("customer"), col("amount"))
      written.write.partitionBy("customer").format(format).save(to)
      val schema = written.schema
      val read =
        spark.read.schema(schema).format(format).load(to).select("id", "customer", "amount")
      assertThat(
        read.collect().map(r => (r.getInt(0), r.getInt(1), r.getLong(2))).toSeq.sorted.asJava
      )
        .isEqualTo(orders.map(o => o.copy(_2 = o._2 % 5)).asJava)
    }
  }

  @Test
  def streamsKeepTheirStateAcrossRestarts(@TempDir directory: Path): Unit = {
    val session = spark
    import session.implicits._
    val words = SparkSql.memoryStream[String](spark, 4)
    val counts = new ConcurrentLinkedQueue[(Long, Map[String, Long])]
    val batches = new ConcurrentLinkedQueue[Long]
    def query(): StreamingQuery = words
      .toDS()
      .flatMap(_.split(' ').toSeq)
      .groupByKey(identity)
      .count()
      .writeStream
      .outputMode("complete")
      .option("checkpointLocation", directory.resolve("checkpoint").toString)
      .foreachBatch { (batch: Dataset[(String, Long)], id: Long) =>
        batches.add(id)
        counts.add((id, batch.collect().toMap))
        ()
      }
      .start()
    val random = new Random(11)
    var sent = Vector.empty[String]
    for (_ <- 1 to 2) {
      val running = query()
      for (_ <- 1 to 2) {
        val lines = Seq.fill(20)(Seq.fill(5)(s"w${random.nextInt(30)}").mkString(" "))
        sent ++= lines
        words.addData(lines)
        running.processAllAvailable()
        val expected = sent.flatMap(_.split(' ')).groupMapReduce(identity)(_ => 1L)(_ + _)
        assertThat(counts.asScala.last._2).isEqualTo(expected)
      }
      running.stop()
    }
    assertThat(batches.asScala.toSeq.distinct).isEqualTo(0L to 3L)
  }

  @Test
  def streamsOfAppendedWindowsWriteEachOnce(@TempDir directory: Path): Unit = {
    val session = spark
    import session.implicits._
    val events = SparkSql.memoryStream[(Long, String)](spark, 4)
    val out = directory.resolve("out").toString
    val query = events
      .toDF()
      .select(timestamp_seconds(col("_1")).as("at"), col("_2").as("key"))
      .withWatermark("at", "5 seconds")
      .groupBy(window(col("at"), "10 seconds"), col("key"))
      .count()
      .select(col("window.start").cast("long"), col("key"), col("count"))
      .writeStream
      .outputMode("append")
      .format("parquet")
      .option("checkpointLocation", directory.resolve("checkpoint").toString)
      .start(out)
    val sent = for (second <- 0L until 60L; key <- Seq("a", "b", "c")) yield (second, key)
    sent.grouped(60).foreach { some =>
      events.addData(some)
      query.processAllAvailable()
    }
    // Moves the watermark past all of them.
    events.addData((1000L, "end"))
    query.processAllAvailable()
    query.stop()
    val expected = sent.groupMapReduce(e => (e._1 / 10 * 10, e._2))(_ => 1L)(_ + _)
    val read =
      spark.read.parquet(out).collect().map(r => (r.getLong(0), r.getString(1)) -> r.getLong(2))
    assertThat(read.toSeq.sorted.asJava).isEqualTo(expected.toSeq.sorted.asJava)
  }
}
