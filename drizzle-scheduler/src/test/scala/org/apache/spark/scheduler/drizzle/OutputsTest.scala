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

import org.apache.spark.scheduler.MapStatus
import org.apache.spark.storage.BlockManagerId
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What an agent knows of a shuffle's outputs when executors are lost. */
final class OutputsTest {
  private val here = BlockManagerId("here", "127.0.0.1", 1)
  private val outputs = new Outputs(2)

  private def on(executor: String, mapId: Long): MapStatus =
    MapStatus(BlockManagerId(executor, "127.0.0.1", 7), Array(1L, 1L), mapId)

  private def places: Option[Seq[String]] =
    outputs.of(None, 0, here).map(_.toSeq.map(_.location.executorId))

  @Test
  def whatIsLostIsWaitedForAgain(): Unit = {
    outputs.add(0, on("a", 0))
    outputs.add(1, on("b", 1))
    val read = outputs.of(None, 0, here).get

    outputs.lose("a")

    assertThat(places).isEqualTo(None)
    assertThat(read.map(_.mapId)).isEqualTo(Array(0L, 1L))
    outputs.add(0, on("b", 2))
    assertThat(places).isEqualTo(Some(Seq("b", "b")))
  }

  /** Those who say so, and the driver, are different senders. */
  @Test
  def whatReplacesItMayBeToldBeforeTheLoss(): Unit = {
    outputs.add(0, on("a", 0))
    outputs.add(1, on("b", 1))
    outputs.add(0, on("c", 2))
    assertThat(places).isEqualTo(Some(Seq("a", "b")))

    outputs.lose("a")

    assertThat(places).isEqualTo(Some(Seq("c", "b")))
  }

  @Test
  def whatHasReplacedItMayBeLostAsWell(): Unit = {
    outputs.add(0, on("a", 0))
    outputs.add(0, on("c", 2))
    outputs.add(1, on("b", 1))
    outputs.lose("c")
    outputs.lose("a")
    assertThat(places).isEqualTo(None)
  }

  @Test
  def whatIsAnnouncedTwiceIsThereOnce(): Unit = {
    outputs.add(0, on("a", 0))
    outputs.add(0, on("a", 0))
    assertThat(outputs.isComplete).isFalse()
    outputs.add(1, on("b", 1))
    assertThat(outputs.isComplete).isTrue()
    outputs.lose("z")
    assertThat(outputs.isComplete).isTrue()
  }
}
