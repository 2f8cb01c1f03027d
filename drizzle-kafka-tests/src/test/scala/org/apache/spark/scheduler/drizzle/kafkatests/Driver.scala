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

import java.nio.file.Path

import org.apache.spark.deploy.SparkSubmit
import org.apache.spark.launcher.SparkLauncher
import org.apache.spark.scheduler.drizzle.DrizzlePlugin
import org.freshet.drizzle.kafka.JavaProcess

/** An application that is submitted to a standalone Spark with the scheduler, again and again, each time with a
  * driver in a process of its own.
  *
  * For one thread.
  *
  * @param place for what the drivers write
  */
private[kafkatests] final class Driver(
    master: String,
    place: Path,
    mainClass: String,
    arguments: Seq[String],
    settings: Map[String, String]
) extends AutoCloseable {
  private var process: Option[JavaProcess] = None
  private var starts = 0

  /** Submits it. There is none running now. */
  def start(): Unit = {
    val all = settings ++ Map(
      "spark.driver.host" -> "127.0.0.1",
      "spark.driver.bindAddress" -> "127.0.0.1",
      "spark.executor.extraClassPath" -> JavaProcess.classPath,
      "spark.executor.extraJavaOptions" -> JavaProcess.ShortLived.mkString(" "),
      "spark.executor.memory" -> "512m",
      "spark.ui.enabled" -> "false",
      "spark.plugins" -> classOf[DrizzlePlugin].getName
    )
    val submit = Seq("--master", master, "--class", mainClass) ++
      all.flatMap { case (key, value) => Seq("--conf", s"$key=$value") } ++
      Seq(SparkLauncher.NO_RESOURCE) ++ arguments
    starts += 1
    process = Some(
      JavaProcess.start(
        place.resolve(s"driver$starts.log"),
        classOf[SparkSubmit].getName,
        submit,
        Seq("-Xmx512m")
      )
    )
  }

  /** @throws IllegalStateException if it has ended by itself */
  def requireAlive(): Unit = if (!process.exists(_.isAlive)) {
    throw new IllegalStateException(s"The driver has ended: $logged")
  }

  /** What the last one wrote. */
  def logged: String = process.fold("")(_.logged)

  /** Ends it as a crash does. */
  def kill(): Unit = process.foreach(_.kill())

  /** Asks it to end. */
  def end(): Unit = process.foreach(_.end(Driver.ToEndSeconds))

  override def close(): Unit = kill()
}

private[kafkatests] object Driver {
  private val ToEndSeconds = 90L
}
