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
import java.nio.file.attribute.PosixFilePermissions

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

import org.apache.spark.{SparkContext, SparkEnv, TaskContext}
import org.apache.spark.resource.{ExecutorResourceRequests, ResourceProfileBuilder}
import org.apache.spark.resource.TaskResourceRequests
import org.apache.spark.scheduler.{SparkListenerStageCompleted, SparkListenerTaskStart}

/** Stages that ask for other resources than the application does. */
@Timeout(300)
class OwnResourcesTest {
  @Test
  def aStageWithResourcesOfItsOwnIsLeftToStockWhenItsInputsAreThere(): Unit = {
    val sc = TestCluster.start()
    try {
      val events = TestCluster.events(sc)
      val profile = new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(1)).build()
      val sums = sc.parallelize(1 to 100, 4).map(i => (i % 5, i)).reduceByKey(_ + _, 2)
      assertThat(sums.withResources(profile).values.sum()).isEqualTo(5050.0)

      val seen = events.seen
      val mapsEnd = seen.indexWhere {
        case e: SparkListenerStageCompleted => e.stageInfo.stageId == 0
        case _                              => false
      }
      val reducesBegin = seen.indexWhere {
        case e: SparkListenerTaskStart => e.stageId == 1
        case _                         => false
      }
      assertThat(reducesBegin).isGreaterThan(mapsEnd)
    } finally sc.stop()
  }

  @Test
  def executorsWithResourcesOfTheirOwnGetNoOtherTasks(): Unit = {
    val sc = TestCluster.start(
      1,
      "spark.dynamicAllocation.enabled" -> "true",
      "spark.dynamicAllocation.shuffleTracking.enabled" -> "true",
      "spark.dynamicAllocation.initialExecutors" -> "1",
      "spark.dynamicAllocation.minExecutors" -> "1",
      "spark.dynamicAllocation.maxExecutors" -> "1"
    )
    try {
      val profile = new ResourceProfileBuilder()
        .require(new ExecutorResourceRequests().cores(1).memory("512m"))
        .require(new TaskResourceRequests().cpus(1))
        .build()
      def places = sc.parallelize(0 until 8, 8).map { _ =>
        Thread.sleep(100)
        SparkEnv.get.executorId
      }
      val own = places.withResources(profile).collect().toSet
      val others = places.collect().toSet
      assertThat(own.size).isEqualTo(1)
      assertThat(others.size).isEqualTo(1)
      assertThat(own).isNotEqualTo(others)
    } finally sc.stop()
  }

  @Test
  def tasksThatAskForMoreThanCoresGetIt(@TempDir dir: Path): Unit = {
    val discovery = Files.writeString(
      dir.resolve("discover.sh"),
      """echo '{"name": "gpu", "addresses": ["seventh"]}'"""
    )
    Files.setPosixFilePermissions(discovery, PosixFilePermissions.fromString("rwx------"))
    val conf = TestCluster.conf(
      "local-cluster[1,1,1024]",
      "spark.worker.resource.gpu.amount" -> "1",
      "spark.worker.resource.gpu.discoveryScript" -> discovery.toString,
      "spark.executor.resource.gpu.amount" -> "1",
      "spark.task.resource.gpu.amount" -> "1"
    )
    val sc = new SparkContext(conf)
    try {
      val addresses = sc
        .parallelize(0 until 4, 2)
        .mapPartitions(_ => TaskContext.get().resources()("gpu").addresses.iterator)
      assertThat(addresses.collect()).isEqualTo(Array("seventh", "seventh"))
      assertThat(Suitability.of(sc)).isEqualTo(Some(Unsuited.TaskResources))
    } finally sc.stop()
  }
}
