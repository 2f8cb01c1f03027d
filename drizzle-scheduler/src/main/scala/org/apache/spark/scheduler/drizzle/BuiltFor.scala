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

import java.util.Properties

import scala.util.Properties.versionNumberString

import org.apache.spark.SPARK_VERSION

/** The Spark that this jar was built for, by its first two numbers: private parts of another one
  * differ. Looks at nothing of Spark but its version.
  */
private[spark] object BuiltFor {
  private val properties: Properties = {
    val properties = new Properties
    val stream = getClass.getResourceAsStream("built-for.properties")
    try properties.load(stream)
    finally stream.close()
    properties
  }

  val Spark: String = properties.getProperty("spark")

  val Scala: String = properties.getProperty("scala")

  /** Whether the Spark that runs is such a one. */
  val isThis: Boolean = isSame(SPARK_VERSION, Spark) && isSame(versionNumberString, Scala)

  /** To be logged if it is not. */
  def advice: String =
    "Freshet leaves this application to Spark's own scheduler: its jar was built " +
      "for Spark " + Spark + " with Scala " + Scala + ", and this is Spark " + SPARK_VERSION +
      " with Scala " + versionNumberString + "; take the jar freshet-drizzle-spark... that has these in its name"

  /** @param version such as 4.1.0, with whatever a distribution has added
    * @param line such as 4.1
    */
  private[drizzle] def isSame(version: String, line: String): Boolean =
    version == line || (version.startsWith(line) && !Character.isDigit(version.charAt(line.length)))
}
