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

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** Tests that are expected to fail.
  *
  * @param cause `stock` if stock Spark fails as well in this environment, `documented` if the test looks at
  *   what Freshet says that it changes
  * @param why in words
  */
private[sparktests] final case class Expected(
    suite: String,
    test: String,
    cause: String,
    why: String
)

private[sparktests] object Expected {
  val Stock = "stock"
  val Documented = "documented"

  /** A line for each test: suite, test, cause, and reason, with ` | ` between. */
  def readAll(file: Path): Seq[Expected] = lines(file).map { line =>
    line.split(" \\| ") match {
      case Array(suite, test, cause @ (Stock | Documented), why) =>
        Expected(suite, test.trim, cause, why)
      case _ =>
        throw new IllegalArgumentException(
          s"$file: not 'suite | test | $Stock or $Documented | reason': $line"
        )
    }
  }

  /** Lines without those that are empty or begin with `#`. */
  def lines(file: Path): Seq[String] = Files
    .readAllLines(file)
    .asScala
    .toSeq
    .map(_.trim)
    .filter(line => line.nonEmpty && !line.startsWith("#"))
}
