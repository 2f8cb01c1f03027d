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

import org.apache.spark.{ExecutorAllocationClient, ShuffleDependency, SparkEnv}
import org.apache.spark.scheduler.{ExecutorDecommissionInfo, SparkListenerStageSubmitted}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

/** Map outputs that an executor which is decommissioned has copied to another one. */
@Timeout(300)
class MovedOutputsTest {

  @Test
  def theyAreReadWhereTheyAreAndGoWithTheirShuffle(): Unit = {
    val sc = TestCluster.start(
      2,
      "spark.decommission.enabled" -> "true",
      "spark.storage.decommission.enabled" -> "true",
      "spark.storage.decommission.replicationReattemptInterval" -> "1s"
    )
    try {
      TestCluster.executors(sc)
      val sums = sc.parallelize(0 until 100, 10).map(i => (i % 2, i)).reduceByKey(_ + _, 2)
      val expected = Map(0 -> 2450, 1 -> 2500)
      assertThat(sums.collect().toMap).isEqualTo(expected)
      val shuffleId =
        sums.dependencies.head.asInstanceOf[ShuffleDependency[_, _, _]].shuffleId

      val leaving = sc.getExecutorIds().head
      sc.schedulerBackend
        .asInstanceOf[ExecutorAllocationClient]
        .decommissionExecutor(
          leaving,
          ExecutorDecommissionInfo("This is meant to go"),
          adjustTargetNumExecutors = true
        )
      TestCluster.await(!sc.getExecutorIds().contains(leaving))

      def files = sc
        .parallelize(Seq(1), 1)
        .flatMap(_ => SparkEnv.get.blockManager.diskBlockManager.getAllFiles().map(_.getName))
        .filter(_.startsWith(s"shuffle_${shuffleId}_"))
        .collect()
        .toSeq
      assertThat(files).isNotEqualTo(Seq.empty)
      val events = TestCluster.events(sc)
      assertThat(sums.collect().toMap).isEqualTo(expected)
      assertThat(events.seen.count(_.isInstanceOf[SparkListenerStageSubmitted])).isEqualTo(1)

      sc.shuffleDriverComponents.removeShuffle(shuffleId, true)
      assertThat(files).isEqualTo(Seq.empty)
    } finally sc.stop()
  }
}
