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

import java.util.concurrent.TimeUnit

import org.apache.spark.internal.config.{ConfigBuilder, ConfigEntry, OptionalConfigEntry}
import org.apache.spark.network.util.ByteUnit

/** Every configuration key of the scheduler. */
private[drizzle] object DrizzleKeys {

  /** As a size: what measurements tell. */
  val Auto = "auto"

  val Enabled: ConfigEntry[Boolean] = ConfigBuilder("spark.freshet.drizzle.enabled")
    .doc(
      "`false` leaves all to Spark's own scheduler. Set by `SparkContext.setLocalProperty`, it leaves the jobs that this thread " +
        "submits."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val PreScheduling: ConfigEntry[Boolean] = ConfigBuilder("spark.freshet.drizzle.preScheduling")
    .doc(
      "Send the stages that wait for others ahead, together with those. With `false`, stages go out " +
        "one after the other, with their binaries in the message instead of a broadcast."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val BinariesSent: ConfigEntry[Long] = ConfigBuilder("spark.freshet.drizzle.binaries.sent")
    .doc(
      "A stage's binary is sent with its tasks if it has no more than 64 KiB, or if its copies for all " +
        "executors together have no more than this. A longer one is a broadcast, as with stock Spark."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .createWithDefaultString("16m")

  val MapOutputsInMemory: ConfigEntry[Long] =
    ConfigBuilder("spark.freshet.drizzle.mapOutputs.inMemory")
      .doc(
        "How much memory an executor uses for its small map outputs, beside Spark's own. If there " +
          "are more, the oldest go to disk. As much again holds what other executors send it of " +
          "theirs. `0` leaves all to Spark's files."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .createWithDefaultString("32m")

  val MapOutputInMemory: ConfigEntry[Long] =
    ConfigBuilder("spark.freshet.drizzle.mapOutputs.small")
      .doc(
        "A map task's output up to this size is small; 4 bytes for each partition count as well."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .checkValue(bytes => bytes >= 0 && bytes <= (64 << 20), "Must be from 0 to 64m")
      .createWithDefaultString("64k")

  val BatchesAtOnce: ConfigEntry[String] = ConfigBuilder("spark.freshet.drizzle.group.size")
    .doc(
      "How many batches of a DStream may be under way at once. With `auto`, as many as keep the executors " +
        "busy, within the bounds that the next keys set."
    )
    .version("0.1.0")
    .stringConf
    .checkValue(
      size => size == Auto || size.toIntOption.exists(_ >= 1),
      s"Must be $Auto, or a number from 1 on"
    )
    .createWithDefault(Auto)

  val MostBatches: ConfigEntry[Int] = ConfigBuilder("spark.freshet.drizzle.group.most")
    .doc(
      "How many that are, at most; and how many [iterations](iterations.md) a group has, at most, if its size is tuned. " +
        "With `1`, one batch or iteration ends before the next begins."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 1, "Must be 1 or more")
    .createWithDefault(100)

  val LostAtLeast: ConfigEntry[Double] = ConfigBuilder("spark.freshet.drizzle.group.lost.lower")
    .doc(
      "The share of the executors' time that is lost though batches are due, below which fewer may be " +
        "under way. Of iterations, it is the share of a group's time that is not spent in them."
    )
    .version("0.1.0")
    .doubleConf
    .checkValue(share => share >= 0 && share <= 1, "Must be from 0 to 1")
    .createWithDefault(0.05)

  val LostAtMost: ConfigEntry[Double] = ConfigBuilder("spark.freshet.drizzle.group.lost.upper")
    .doc("The share above which twice as many may be under way, or in a group.")
    .version("0.1.0")
    .doubleConf
    .checkValue(share => share >= 0 && share <= 1, "Must be from 0 to 1")
    .createWithDefault(0.1)

  val LongestRehearsal: ConfigEntry[Long] =
    ConfigBuilder("spark.freshet.drizzle.rehearsal.most")
      .doc(
        "An executor that comes while short tasks run on others first runs some of Freshet's own, until these " +
          "are fast or so much time has passed: the first tasks of a new JVM are slow, and others would wait for them. `0` lets it " +
          "begin at once."
      )
      .version("0.1.0")
      .timeConf(TimeUnit.MILLISECONDS)
      .checkValue(_ >= 0, "Must not be negative")
      .createWithDefaultString("2s")

  val AgentPort: ConfigEntry[Int] = ConfigBuilder("spark.freshet.drizzle.agent.port")
    .doc(
      "Where an executor takes tasks and announcements, from the driver and from other executors. `0` takes any free port; if another " +
        "one is taken already, the next ones are tried, as many as `spark.port.maxRetries` says."
    )
    .version("0.1.0")
    .intConf
    .checkValue(
      port => port == 0 || (port >= 1024 && port <= 65535),
      "Must be 0, or from 1024 to 65535"
    )
    .createWithDefault(0)

  val RebalanceInterval: ConfigEntry[Long] =
    ConfigBuilder("spark.freshet.drizzle.rebalance.interval")
      .internal()
      .doc("For tests: how often idle executors are looked for, besides whenever a task ends.")
      .version("0.1.0")
      .timeConf(TimeUnit.MILLISECONDS)
      .createWithDefaultString("20ms")

  val FaultsSeed: OptionalConfigEntry[Long] = ConfigBuilder("spark.freshet.drizzle.faults.seed")
    .internal()
    .doc("For tests: loses, delays and repeats some of the scheduler's messages; decides which.")
    .version("0.1.0")
    .longConf
    .createOptional

  /** In the order in which users are told of them. */
  val all: Seq[ConfigEntry[_]] =
    Seq(
      Enabled,
      PreScheduling,
      BinariesSent,
      MapOutputsInMemory,
      MapOutputInMemory,
      BatchesAtOnce,
      MostBatches,
      LostAtLeast,
      LostAtMost,
      LongestRehearsal,
      AgentPort,
      RebalanceInterval,
      FaultsSeed
    )
}
