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

import java.nio.file.{Files, Path}

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.streaming.ManualBatches
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Random programs over DStreams show the same as on stock Spark, where one batch runs after the other. */
class RandomStreamsTest {
  import RandomStreams.Outcome

  /** `-Dfreshet.drizzle.streams=N` for more of them, `-Dfreshet.drizzle.streams.seed=S` for one. */
  @Test
  @Timeout(3600)
  def batchesThatBeginEarlyShowWhatTheyDoOnStockSpark(@TempDir directory: Path): Unit = {
    val one = Option(java.lang.Long.getLong("freshet.drizzle.streams.seed")).map(_.longValue)
    val seeds =
      one.fold(1L to Integer.getInteger("freshet.drizzle.streams", 12).longValue)(s => s to s)
    def run(sc: SparkContext, seed: Long, on: String): Outcome =
      new RandomStreams(sc, seed, Files.createDirectories(directory.resolve(s"$on$seed"))).run()

    var expected = Seq.empty[Outcome]
    TestCluster.locally(RandomStreamsTest.settings :+ "spark.master" -> "local[3,4]": _*) { sc =>
      sc.setLogLevel("OFF")
      expected = seeds.map(run(sc, _, "stock"))
    }
    val sc = TestCluster.startWithCores(
      2,
      // As many batches are under way as come, however busy the executors are.
      RandomStreamsTest.settings ++
        Seq(
          "spark.freshet.drizzle.group.lost.lower" -> "0",
          "spark.freshet.drizzle.group.lost.upper" -> "0"
        ): _*
    )
    try {
      // Much is meant to fail.
      sc.setLogLevel("OFF")
      val source = TestCluster.source(sc)
      val differences = mutable.ArrayBuffer.empty[String]
      val early = seeds.zip(expected).map { case (seed, stock) =>
        val (early, dispatched) = (source.early.getCount, source.dispatched.getCount)
        val outcome = run(sc, seed, "drizzle")
        differences ++= outcome
          .differsFrom(stock)
          .map(how => s"$how\nAlone: -Dfreshet.drizzle.streams.seed=$seed")
        assertThat(source.dispatched.getCount).isGreaterThan(dispatched)
        source.early.getCount - early
      }
      assertThat(differences.mkString("\n\n")).isEmpty()
      if (one.isEmpty) {
        // Else there would be little to be seen.
        assertThat(early.count(_ > 0)).isGreaterThan(seeds.size / 2)
        assertThat(early.sum).isGreaterThan(expected.map(_.operations).sum / 4L)
      }
    } finally {
      sc.setLogLevel("WARN")
      sc.stop()
    }
  }
}

private object RandomStreamsTest {

  /** Of both: as many partitions where a program does not say how many. */
  val settings: Seq[(String, String)] = ManualBatches.settings ++ Seq(
    "spark.default.parallelism" -> "4",
    "spark.streaming.blockInterval" -> "50ms",
    "spark.ui.enabled" -> "false",
    "spark.driver.host" -> "127.0.0.1",
    "spark.driver.bindAddress" -> "127.0.0.1"
  )
}
