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
package org.apache.spark.scheduler.drizzle.sparktests

import java.io.PrintWriter
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.scalatest.{Args, Reporter, Suite}
import org.scalatest.events._

/** How a test has ended. A suite that could not be run is a test that failed, without a name.
  *
  * @param how `passed`, `failed` or `skipped`: left out by Spark itself, where something is missing
  */
private[sparktests] final case class Outcome(how: String, test: String)

private[sparktests] object Outcome {
  val Passed = "passed"
  val Failed = "failed"
  val Skipped = "skipped"

  /** Stands last, if a suite came to its end. */
  val End = "end"

  def readAll(file: Path): Seq[Outcome] =
    if (Files.exists(file)) {
      Files.readAllLines(file).asScala.toSeq.map { line =>
        val tab = line.indexOf('\t')
        Outcome(line.take(tab), line.drop(tab + 1))
      }
    } else {
      Nil
    }
}

/** Runs one suite in this JVM, and writes a line for each test as it ends. */
private[sparktests] object SuiteRun {

  /** @param arguments the suite's class, the file for the outcomes, and one for why tests have failed */
  def main(arguments: Array[String]): Unit = {
    val report = new Report(Path.of(arguments(1)), Path.of(arguments(2)))
    try {
      val suite = Class.forName(arguments(0)).getConstructor().newInstance().asInstanceOf[Suite]
      suite.run(None, Args(report)).waitUntilCompleted()
    } catch {
      case NonFatal(e) => report.failed("", e.toString, Some(e))
    }
    report.write(Outcome.End, "")
    // Suites may leave threads behind.
    Runtime.getRuntime.halt(0)
  }

  private final class Report(outcomes: Path, reasons: Path) extends Reporter {
    private val lines = new PrintWriter(Files.newBufferedWriter(outcomes), true)
    private val traces = new PrintWriter(Files.newBufferedWriter(reasons), true)

    override def apply(event: Event): Unit = event match {
      case e: TestSucceeded => write(Outcome.Passed, e.testName)
      case e: TestFailed    => failed(e.testName, e.message, e.throwable)
      case e: TestCanceled  => write(Outcome.Skipped, e.testName)
      case e: TestIgnored   => write(Outcome.Skipped, e.testName)
      case e: SuiteAborted  => failed("", e.message, e.throwable)
      case _                =>
    }

    def write(how: String, test: String): Unit = synchronized {
      lines.println(s"$how\t${test.replaceAll("\\s+", " ")}")
    }

    def failed(test: String, message: String, why: Option[Throwable]): Unit = synchronized {
      write(Outcome.Failed, test)
      traces.println(s"== $test: $message")
      why.foreach(_.printStackTrace(traces))
    }
  }
}
