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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

import org.apache.spark.deploy.StandaloneSpark
import org.freshet.drizzle.bench.{AdEventWriter, KafkaAdViews}
import org.freshet.drizzle.kafka.{JavaProcess, Waiting}

/** The Yahoo streaming benchmark over Kafka, as it is measured, but cold and for a few seconds. That each batch counts what
  * there is between its offsets is checked by the application itself, which fails otherwise.
  */
final class AdViewsTest {

  @Test
  @Timeout(180)
  def viewsAreCountedWhileEventsAreWritten(): Unit = {
    val place = Places.fresh("ad-views")
    var spark: StandaloneSpark = null
    var writer: JavaProcess = null
    var driver: Driver = null
    try {
      spark = new StandaloneSpark(place)
      writer = JavaProcess.start(
        place.resolve("writer"),
        nameOf(AdEventWriter),
        Seq(place.toString, "1000"),
        Seq("-Xmx128m")
      )
      def broker = writer.logged.linesIterator.find(_.matches("127\\.0\\.0\\.1:\\d+"))
      Waiting.until("broker with events", state = writer.logged)(
        broker.isDefined || !writer.isAlive
      )
      require(broker.isDefined, writer.logged)
      driver = new Driver(
        spark.url,
        place,
        nameOf(KafkaAdViews),
        Seq("reduce", broker.get, "1000", "5"),
        Map("spark.freshet.bench.warmUp" -> "0s")
      )
      driver.start()
      def lines = driver.logged.linesIterator.filter(_.matches("(events|windows)\t1000\t.*")).toSeq
      Waiting.until("times of events and windows", state = driver.logged)(lines.length == 2)
      assertThat(lines.map(_.split("\t")(3).split(",").length)).isEqualTo(Seq(100, 100))
    } finally JavaProcess.closeAll(spark, writer, driver)
  }

  private def nameOf(main: AnyRef): String = main.getClass.getName.stripSuffix("$")
}
