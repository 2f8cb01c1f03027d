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

import org.apache.spark.{MapOutputTrackerWorker, SparkConf}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.storage.BlockManagerId
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

final class PinnedOutputsTest {
  private val (here, there) = (BlockManagerId("1", "host", 1), BlockManagerId("2", "host", 2))

  private def output(at: BlockManagerId, mapId: Long) = MapStatus(at, Array(1L), mapId)

  /** As those of the network, which read another executor's files for a task. */
  @Test
  def threadsThatRunNoTaskFindWhatWasAnnouncedToOne(): Unit = {
    val announced = Map(3 -> Array(null, output(there, 7)))
    val tracker = new MapOutputTrackerWorker(new SparkConf(false))
    tracker.mapStatuses(4) = Array(output(here, 8))
    def owner(shuffleId: Int, mapId: Long) = PinnedOutputs.ownerOf(tracker, shuffleId, mapId)
    assertThat(owner(4, 8)).isEqualTo(Some(here))
    PinnedOutputs.install(tracker, (_, _) => None, announced.get(_).iterator)
    assertThat(owner(4, 8)).isEqualTo(Some(here))
    assertThat(owner(3, 7)).isEqualTo(Some(there))
    // Whatever else is known of the shuffle.
    tracker.mapStatuses(3) = Array(output(here, 6), null)
    assertThat(owner(3, 7)).isEqualTo(Some(there))
    assertThat(owner(3, 8)).isEqualTo(None)
    assertThat(owner(5, 7)).isEqualTo(None)
  }
}
