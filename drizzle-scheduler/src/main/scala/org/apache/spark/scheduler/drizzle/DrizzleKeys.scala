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

import org.apache.spark.internal.config.{ConfigBuilder, ConfigEntry, OptionalConfigEntry}
import org.apache.spark.network.util.ByteUnit

/** Every configuration key of the scheduler. */
private[drizzle] object DrizzleKeys {
  val PreScheduling: ConfigEntry[Boolean] = ConfigBuilder("spark.freshet.drizzle.preScheduling")
    .doc(
      "Send the stages that wait for others ahead, together with those. With `false`, stages go out " +
        "one after the other, with their binaries in the message instead of a broadcast."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

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
      .doc("A map task's output up to this size is small.")
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .checkValue(bytes => bytes >= 0 && bytes <= (64 << 20), "Must be from 0 to 64m")
      .createWithDefaultString("64k")

  val FaultsSeed: OptionalConfigEntry[Long] = ConfigBuilder("spark.freshet.drizzle.faults.seed")
    .internal()
    .doc("For tests: loses, delays and repeats some of the scheduler's messages; decides which.")
    .version("0.1.0")
    .longConf
    .createOptional

  /** In the order in which users are told of them. */
  val all: Seq[ConfigEntry[_]] =
    Seq(PreScheduling, MapOutputsInMemory, MapOutputInMemory, FaultsSeed)
}
