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

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.rdd.{MapPartitionsRDD, RDD}
import org.apache.spark.scheduler.drizzle.OutputOperation
import org.apache.spark.streaming.Time
import org.apache.spark.streaming.kafka010.{HasOffsetRanges, KafkaRDD, OffsetRange}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What applications do with the RDDs of direct streams before their jobs. */
class OffsetRangesTest {
  import OffsetRangesTest._

  private type Done = (RDD[ConsumerRecord[String, String]], Time) => Unit

  private def why(done: Done, rdd: Class[_] = classOf[KafkaRDD[_, _]]): String =
    OutputOperation.whyInTurn(done, rdd).getOrElse("")

  @Test
  def whoeverAsksForOffsetsMayBeginEarly(): Unit = {
    val done: Done = (rdd, time) => {
      val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
      val counts = rdd.map(record => (record.value, 1L)).reduceByKey(_ + _).collect()
      seen(time, ranges, counts)
    }
    assertThat(why(done)).isEmpty()
    // Nobody knows what others do when they are asked.
    assertThat(why(done, classOf[MapPartitionsRDD[_, _]])).contains("HasOffsetRanges.offsetRanges")
  }

  @Test
  def whoeverAsksSomebodyElseForOffsetsMustWait(): Unit = {
    val other = new Other
    val done: Done = (rdd, time) => {
      val ranges = other.asInstanceOf[HasOffsetRanges].offsetRanges
      val values = rdd.map(_.value).collect()
      seen(time, ranges, values)
    }
    assertThat(why(done)).contains("HasOffsetRanges.offsetRanges")
  }

  @Test
  def whoeverChangesThemBeforeMustWait(): Unit = {
    val done: Done = (rdd, time) => {
      val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
      ranges(0) = null
      val values = rdd.map(_.value).collect()
      seen(time, values)
    }
    assertThat(why(done)).contains("instruction")
  }

  @Test
  def whatIsKnownFromOffsetsRunsNoJobAndMustWait(): Unit = {
    assertThat(why { (rdd, _) =>
      val n = rdd.count(); seen(n)
    }).contains("KafkaRDD.count")
    assertThat(why((rdd, _) => if (!rdd.isEmpty()) seen(rdd))).contains("KafkaRDD.isEmpty")
    assertThat(why { (rdd, _) =>
      val one = rdd.first(); seen(one)
    }).contains("KafkaRDD.first")
    assertThat(why { (rdd, _) =>
      val some = rdd.take(3); seen(some)
    }).contains("KafkaRDD.take")
    assertThat(why { (rdd, _) =>
      val n = rdd.map(_.value.length).sum(); seen(n)
    }).isEmpty()
  }
}

private object OffsetRangesTest {

  /** For the bytecode alone. */
  def seen(what: Any*): Unit = throw new UnsupportedOperationException(what.toString)

  final class Other extends HasOffsetRanges with Serializable {
    override def offsetRanges: Array[OffsetRange] = Array.empty
  }
}
