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

import java.nio.file.{Files, Path}
import java.util.Random

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.deploy.StandaloneSpark
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.kafka._
import org.junit.jupiter.api.{AfterAll, BeforeAll, Tag, Test, TestInstance, Timeout}

/** Applications count the words that somebody writes to a topic all the time, while their executors and drivers
  * are killed, and drivers are stopped. In the end they must have counted what was written.
  */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExactlyOnceTest {
  import ExactlyOnceTest._

  private val place = Places.fresh("exactly-once")
  private val seed = Option(sys.props("freshet.kafka.seed")).filter(_.nonEmpty).fold(1L)(_.toLong)
  private var broker: KafkaBroker = _
  private var spark: StandaloneSpark = _

  @BeforeAll
  def start(): Unit = {
    broker = KafkaBroker.start(place)
    spark = new StandaloneSpark(place)
  }

  @AfterAll
  def stop(): Unit = JavaProcess.closeAll(spark, broker)

  @Test
  @Tag("soak")
  @Timeout(300)
  def offsetsKeptWithTheResults(): Unit =
    run("offsets", Seq(Event.KillExecutor, Event.KillDriver))(withOffsets)

  @Test
  @Tag("soak")
  @Timeout(300)
  def stateInTheCheckpoint(): Unit =
    run("state", Seq(Event.StopDriver, Event.KillExecutor, Event.KillDriver))(
      inState("updateStateByKey")
    )

  @Test
  @Tag("soak")
  @Timeout(3600)
  def offsetsKeptWithTheResultsForLong(): Unit =
    run("offsets-soak", soak)(withOffsets)

  @Test
  @Tag("soak")
  @Timeout(3600)
  def updatedStateForLong(): Unit = run("update-soak", soak)(inState("updateStateByKey"))

  @Test
  @Tag("soak")
  @Timeout(3600)
  def mappedStateForLong(): Unit = run("map-soak", soak)(inState("mapWithState"))

  @Test
  @Tag("soak")
  @Timeout(3600)
  def stateOfAQueryForLong(): Unit = run("query-soak", soak)(inQuery)

  private def withOffsets(file: String) = Application(CountsWithOffsets, 50, Seq(file))

  private def inState(operator: String)(file: String) =
    Application(CountsInState, 500, Seq(file, s"$file-checkpoint", operator))

  private def inQuery(file: String) =
    Application(CountsInQuery, 500, Seq(file, s"$file-checkpoint"), endsBatches = false)

  /** As many events as were asked for. */
  private def soak: Seq[Event] = {
    val random = new Random(seed)
    Seq.fill(sys.props("freshet.kafka.events").toInt)(Event.all(random.nextInt(Event.all.size)))
  }

  /** @param declare by the file that it writes */
  private def run(name: String, events: Seq[Event])(declare: String => Application): Unit = {
    println(s"$name: seed $seed")
    Waiting.until("end of the executors of others")(JavaProcess.others.isEmpty)
    val random = new Random(seed)
    broker.createTopic(name, Partitions)
    val directory = Files.createDirectories(place.resolve(name))
    val path = directory.resolve("counts").toString
    val file = new CountsFile(path)
    val application = declare(path)
    val metrics = Files.createDirectories(directory.resolve("metrics"))
    val driver = new Driver(
      spark.url,
      directory,
      application.main.getClass.getName.stripSuffix("$"),
      Seq(broker.address, name, Partitions.toString, application.intervalMs.toString) ++
        application.more,
      settings(metrics)
    )
    Using.resources(new KnownWords(broker, name, seed), driver) { (words, _) =>
      def progress(times: Int): Unit = (1 to times).foreach { _ =>
        val before = file.read().total
        Waiting.until("progress", state = driver.logged) {
          driver.requireAlive()
          file.read().total > before
        }
      }
      driver.start()
      words.writeSteadily(LinesAtOnce)
      progress(2)
      events.foreach { event =>
        progress(1 + random.nextInt(4))
        // Where in a batch it comes is up to chance. Nothing that is awaited depends on it.
        Thread.sleep(random.nextInt(2 * application.intervalMs).toLong)
        println(s"$name: $event, ${file.read().total} words are counted")
        happen(event, driver, application, random)
      }
      progress(2)
      words.stop()
      val written = words.counts
      Waiting.until("count of all words", state = s"${file.read()} of $written") {
        driver.requireAlive()
        file.read().total >= written.values.sum
      }
      assertThat(file.read().counts.asJava).isEqualTo(written.asJava)
      stop(driver, application)
      assertThat(file.read().counts.asJava).isEqualTo(written.asJava)
      assertUntil(file.read(), broker.ends(name, Partitions))
      println(s"$name: ${written.values.sum} words, output operations ${operations(metrics)}")
    }
  }

  private def assertUntil(counted: WordCounts, ends: Map[Int, Long]): Unit =
    if (counted.until.nonEmpty) assertThat(counted.until.asJava).isEqualTo(ends.asJava)

  private def happen(
      event: Event,
      driver: Driver,
      application: Application,
      random: Random
  ): Unit = event match {
    case Event.KillExecutor =>
      Waiting.until("executor")(JavaProcess.others.nonEmpty)
      val executors = JavaProcess.others
      executors(random.nextInt(executors.size)).destroyForcibly()
      ()
    case Event.KillDriver =>
      driver.kill()
      driver.start()
    case Event.StopDriver =>
      stop(driver, application)
      driver.start()
  }

  /** Ends a driver; if it can, after all of its batches. */
  private def stop(driver: Driver, application: Application): Unit = {
    driver.end()
    if (application.endsBatches) {
      assertThat(driver.logged).contains("Waited for jobs to be processed and checkpoints")
      assertThat(driver.logged).doesNotContain("Timed out while stopping")
    }
  }

  private def settings(metrics: Path): Map[String, String] = Map(
    "spark.default.parallelism" -> "2",
    "spark.sql.shuffle.partitions" -> "2",
    "spark.streaming.stopGracefullyOnShutdown" -> "true",
    "spark.streaming.gracefulStopTimeout" -> "60s",
    "spark.metrics.conf.driver.sink.csv.class" -> "org.apache.spark.metrics.sink.CsvSink",
    "spark.metrics.conf.driver.sink.csv.period" -> "1",
    "spark.metrics.conf.driver.sink.csv.unit" -> "seconds",
    "spark.metrics.conf.driver.sink.csv.directory" -> metrics.toString
  )

  /** What all drivers have told, up to a second before they were killed. */
  private def operations(metrics: Path): Map[String, Long] =
    Seq("early", "inTurn").map { kind =>
      val files = Using.resource(Files.list(metrics))(_.iterator.asScala.toSeq)
      kind -> files
        .filter(_.getFileName.toString.endsWith(s"drizzle.batches.$kind.csv"))
        .map(Files.readAllLines(_).asScala.last.split(',').last.toLongOption.getOrElse(0L))
        .sum
    }.toMap
}

private object ExactlyOnceTest {
  val Partitions = 3
  val LinesAtOnce = 10

  /** @param main its object
    * @param more what it is given beside the topic
    * @param endsBatches whether it does so when it is asked to end
    */
  final case class Application(
      main: AnyRef,
      intervalMs: Int,
      more: Seq[String],
      endsBatches: Boolean = true
  )

  /** What happens to an application. */
  sealed trait Event

  object Event {
    case object KillExecutor extends Event
    case object KillDriver extends Event
    case object StopDriver extends Event

    val all: Seq[Event] = Seq(KillExecutor, KillDriver, StopDriver)
  }
}
