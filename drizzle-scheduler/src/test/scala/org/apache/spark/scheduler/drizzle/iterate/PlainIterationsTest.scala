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
package org.apache.spark.scheduler.drizzle.iterate

import scala.collection.mutable

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.resource.{ResourceProfileBuilder, TaskResourceRequests}
import org.apache.spark.scheduler.drizzle.{DrizzlePlugin, TestCluster, Unsuited}
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.iterate.{DenseVariable, GroupSize, Iterations, SharedValues}
import org.junit.jupiter.api.{Test, Timeout}

/** Iterations where they cannot run in groups. */
@Timeout(300)
class PlainIterationsTest {
  @Test
  def inTheDriversProcessIterationsAreJobs(): Unit =
    for (plugin <- Seq(classOf[DrizzlePlugin].getName, "")) {
      val conf = new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("iterations")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.plugins", plugin)
      val sc = new SparkContext(conf)
      try {
        val said = logged((1L to 10L).foreach(new RandomIterations(_).check(sc)))
        assertThat(said.count(_.contains("it runs in the driver's process"))).isEqualTo(10)
      } finally sc.stop()
    }

  @Test
  def plainJobsAreNoGroupsThatGrow(): Unit = TestCluster.locally() { sc =>
    val asked = mutable.ArrayBuffer.empty[Int]
    val until = (now: SharedValues) => { asked += now.iterations; false }
    val sum = new DenseVariable("sum", Array(0.0))
    val found =
      Iterations.iterate(sc.parallelize(0 until 2, 2), 5, GroupSize.Auto, Seq(sum), until) {
        (_, rows, shared) => shared.update(sum, Array(shared.get(sum).head + rows.sum))
      }
    assertThat(found(sum)).isEqualTo(Array(121.0))
    assertThat(asked.toSeq).isEqualTo(1 to 4)
  }

  @Test
  def withoutThePluginIterationsAreJobs(): Unit = {
    val sc = TestCluster.start(2, "spark.plugins" -> "")
    try {
      val said = logged((11L to 15L).foreach(new RandomIterations(_).check(sc)))
      assertThat(said.count(_.contains("Freshet's plug-in is not on"))).isEqualTo(5)
    } finally sc.stop()
  }

  @Test
  def groupsThatAreLeftToStockAreJobs(): Unit = {
    val sc = TestCluster.start()
    try {
      val profile = new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(1)).build()
      val data = sc.parallelize(0 until 4, 4).withResources(profile)
      val sum = new DenseVariable("sum", Array(0.0))
      val said = logged {
        val found = Iterations.iterate(data, 7, 3, Seq(sum)) { (iteration, rows, shared) =>
          shared.update(sum, Array(shared.get(sum).head + rows.sum * iteration))
        }
        // Four times the value before, and the sum of all rows.
        var expected = 0.0
        for (iteration <- 1 to 7) expected += 4 * expected + 6 * iteration
        assertThat(found(sum)).isEqualTo(Array(expected))
      }
      assertThat(said.count(_.contains("a resource profile of its own"))).isEqualTo(3)
      // Three groups, and seven jobs.
      assertThat(TestCluster.source(sc).leftToStock(Unsuited.Resources).getCount).isEqualTo(10)
      assertThat(TestCluster.source(sc).iterationsPlain.getCount).isEqualTo(3)
    } finally sc.stop()
  }

  /** What the driver's side of iterations writes to its log meanwhile. */
  private def logged(body: => Unit): Seq[String] = {
    val name = classOf[IterationsJob[_]].getName
    val lines = mutable.ArrayBuffer.empty[String]
    val appender = new AbstractAppender("lines", null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        lines.synchronized(lines += event.getMessage.getFormattedMessage)
    }
    appender.start()
    Configurator.setLevel(name, Level.INFO)
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    logger.addAppender(appender)
    try body
    finally logger.removeAppender(appender)
    lines.toSeq
  }
}
