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
package org.apache.spark.streaming

import java.io.{ByteArrayOutputStream, ObjectOutputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicInteger

import scala.annotation.nowarn
import scala.collection.mutable

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

import org.apache.spark.{HashPartitioner, SparkConf, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.dstream.DStream

/** What DStreams have had cleaned, their batches do not have cleaned again; all else is as it was. */
@Timeout(120)
@nowarn("cat=deprecation") // DStreams are what many have.
final class CleanedFunctionsTest {
  import CleanedFunctionsTest._

  @Test
  def batchesAreAsBeforeAndCleanNothing(): Unit = {
    val (expected, cleanedByStock) = run(_ => ())
    val (results, cleaned) = run { application =>
      CleanedFunctions.install(application)
      CleanedFunctions.install(application)
    }
    assertThat(results).isEqualTo(expected)
    assertThat(expected.toString).contains("(a,")
    // Spark serializes what it cleans, to see whether it can.
    assertThat(cleanedByStock).isEqualTo(9 * Batches)
    assertThat(cleaned).isEqualTo(0)
  }

  @Test
  def nothingOfItIsInACheckpoint(): Unit = withApplication { application =>
    counts(application.textFileStream("/none")).print()
    CleanedFunctions.install(application)
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(new Checkpoint(application, Time(0)))
    out.close()
    assertThat(bytes.toString(ISO_8859_1))
      .contains("SerializedLambda")
      .doesNotContain("Cleaned1", "Cleaned2")
  }

  /** @return what all batches had, and how often functions were serialized while the batches were made */
  private def run(before: StreamingContext => Unit): (Seq[String], Int) =
    withApplication { application =>
      val input = mutable.Queue.empty[RDD[String]]
      for (batch <- 1 to Batches)
        input += application.sparkContext.parallelize(Seq("a b c", "a " * batch, ""), 2)
      val results = mutable.Buffer.empty[String]
      counts(application.queueStream(input, oneAtATime = true))
        .foreachRDD((rdd: RDD[(String, Int)]) =>
          results ++= rdd.collect().map(_.toString).sorted.toSeq
        )
      before(application)
      application.graph.start(Time(0))
      val serialized = (1 to Batches).map { batch =>
        Written.set(0)
        val jobs = application.graph.generateJobs(Time(batch * 1000L))
        val now = Written.get
        jobs.foreach(_.run())
        now
      }
      (results.toSeq, serialized.sum)
    }

  private def withApplication[T](body: StreamingContext => T): T = {
    val conf = new SparkConf(false)
      .setMaster("local[2]")
      .setAppName("cleaned functions")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
    val sc = new SparkContext(conf)
    try body(new StreamingContext(sc, Seconds(1)))
    finally sc.stop()
  }
}

object CleanedFunctionsTest {
  private val Batches = 3

  /** How often one was written. */
  private val Written = new AtomicInteger

  /** With one of each operator whose functions are cleaned, that take something along. */
  private def counts(lines: DStream[String]): DStream[(String, Int)] = {
    val one = new Written(1)
    lines
      .flatMap(line => line.split(' ').take(one.value * 100))
      .filter(_.length == one.value)
      .map(word => (word, one.value))
      .mapValues(_ * one.value)
      .flatMapValues(count => Seq.fill(one.value)(count))
      .mapPartitions(_.map(pair => (pair._1, pair._2 * one.value)))
      .combineByKey[Int](
        (count: Int) => count * one.value,
        (sum: Int, count: Int) => sum + count * one.value,
        (left: Int, right: Int) => left + right * one.value,
        new HashPartitioner(2)
      )
  }

  private final class Written(val value: Int) extends Serializable {
    private def writeObject(out: ObjectOutputStream): Unit = {
      Written.incrementAndGet()
      out.defaultWriteObject()
    }
  }
}
