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
package org.apache.spark.scheduler.drizzle.ui

import java.nio.file.Path

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.deploy.history.LocalHistory
import org.apache.spark.scheduler.drizzle.{DrizzlePlugin, TestCluster, Unsuited}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** The page of applications without batches, while they run and later. */
@Timeout(300)
class PlainTabTest {
  import TabPage._

  @Test
  def showsWhatWasSentAheadAndLeftToSpark(@TempDir logs: Path): Unit = {
    val sc = TestCluster.start(2, settings(logs): _*)
    def isShown(page: Page) =
      page.cell("stages.dispatched").contains("2") && page.cell("stages.sentAhead").contains("1") &&
        page.rows("left-to-stock").contains(Seq(Unsuited.Barrier.reason, "1")) &&
        page.rows("jobs").size == 2
    try {
      sc.parallelize(1 to 100, 4).map(i => (i % 7, 1)).reduceByKey(_ + _, 3).collect()
      sc.parallelize(1 to 2, 2).barrier().mapPartitions(identity).collect()
      val live = pageWith(sc.uiWebUrl.get)(isShown)
      assertThat(live.rows("operations").isEmpty).isTrue
    } finally sc.stop()
    val history = new LocalHistory(logs)
    try pageWith(history.url(sc.applicationId))(isShown)
    finally history.close()
  }

  @Test
  def saysWhyAnApplicationIsLeftToSpark(@TempDir logs: Path): Unit = {
    val conf = new SparkConf(false)
      .setMaster("local[1]")
      .setAppName("left")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
      .setAll(settings(logs))
    val sc = new SparkContext(conf)
    def saysWhy(page: Page) = page.text.contains(Unsuited.NoCluster.reason)
    try pageWith(sc.uiWebUrl.get)(saysWhy)
    finally sc.stop()
    val history = new LocalHistory(logs)
    try pageWith(history.url(sc.applicationId))(saysWhy)
    finally history.close()
  }
}
