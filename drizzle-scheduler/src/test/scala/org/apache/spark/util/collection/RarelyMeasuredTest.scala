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
package org.apache.spark.util.collection

import scala.util.Random

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.Assertions.assertTrue

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.internal.config.{SHUFFLE_IO_PLUGIN_CLASS, SHUFFLE_MANAGER}
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.{DrizzleShuffleManager, SmallOutputDataIO}
import org.apache.spark.util.SizeEstimator

/** Small tasks combine what stock's combine, in its order, and know how large their maps are. */
@Timeout(300)
final class RarelyMeasuredTest {

  @Test
  def theSizeIsKnownAtAnyTime(): Unit = for (seed <- 0 until 5) {
    val random = new Random(seed)
    val map = new SizeTrackingAppendOnlyMap[Int, String] with RarelyMeasured[Int, String]
    val keys = 1 + random.nextInt(20000)
    for (i <- 1 to 20000) {
      map.changeValue(random.nextInt(keys), (_, _) => "x" * (50 + random.nextInt(100)))
      if (i % 997 == 0) {
        val size = SizeEstimator.estimate(map).toDouble
        val share = map.estimateSize() / size
        assertTrue(share > 0.6 && share < 1.7, s"$share of the size after $i updates, seed $seed")
      }
    }
  }

  @Test
  def largeValuesAreSeenSoon(): Unit = {
    val map = new SizeTrackingAppendOnlyMap[Int, Array[Byte]] with RarelyMeasured[Int, Array[Byte]]
    for (i <- 1 to 40) map.changeValue(i, (_, _) => new Array[Byte](1 << 20))
    assertThat(map.estimateSize()).isGreaterThan(20L << 20)
  }

  @Test
  def itIsMeasuredRarely(): Unit = {
    def estimates(map: SizeTrackingAppendOnlyMap[Int, AnyRef]): Int = {
      val next = org.apache.spark.scheduler.drizzle.Private
        .field(classOf[SizeTrackingAppendOnlyMap[_, _]], "nextSampleNum")
      var times = 0
      var last = next.getLong(map)
      for (i <- 1 to 400) {
        map.changeValue(i, (_, _) => new Object)
        if (next.getLong(map) != last) times += 1
        last = next.getLong(map)
      }
      times
    }
    val rarely = estimates(
      new SizeTrackingAppendOnlyMap[Int, AnyRef] with RarelyMeasured[Int, AnyRef]
    )
    assertThat(rarely).isLessThan(estimates(new SizeTrackingAppendOnlyMap[Int, AnyRef]) / 3)
  }

  @Test
  def whatIsCombinedIsAsWithStock(): Unit = {
    val stock = results(_ => ())
    val ours = results(
      _.set(SHUFFLE_MANAGER, classOf[DrizzleShuffleManager].getName)
        .set(SHUFFLE_IO_PLUGIN_CLASS, classOf[SmallOutputDataIO].getName)
    )
    assertThat(ours).isEqualTo(stock)
    assertThat(stock).hasSizeGreaterThan(20)
  }

  /** In the order in which they come, with and without enough memory. */
  private def results(set: SparkConf => Any): java.util.List[String] = {
    val all = new java.util.ArrayList[String]
    for (spillAfter <- Seq(Int.MaxValue, 64)) {
      val conf = new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("combining")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.shuffle.spill.numElementsForceSpillThreshold", spillAfter.toString)
      set(conf)
      val sc = new SparkContext(conf)
      try
        for (seed <- 0 until 4) {
          val random = new Random(seed)
          val records = 1 + random.nextInt(3000)
          val keys = 1 + random.nextInt(records)
          // Keys of equal hashes stay in the order in which they came.
          val input = sc.parallelize(0 until records, 3).map { i =>
            val at = new Random(seed * 100003 + i)
            val key = at.nextInt(keys)
            (if (key % 3 == 0) "Aa" + key else "BB" + key, i)
          }
          def add(of: RDD[_]): Unit = all.add(
            of.glom()
              .collect()
              .map(_.mkString("[", " ", "]"))
              .mkString(s"$spillAfter $seed: ", " ", "")
          )
          add(input.reduceByKey(_ + _, 3))
          add(input.groupByKey(2).mapValues(_.toList))
          add(input.aggregateByKey(List.empty[Int], 4)((l, i) => i :: l, _ ++ _))
          add(input.reduceByKey(_ max _, 2).map(_.swap).sortByKey())
        }
      finally sc.stop()
    }
    all
  }
}
