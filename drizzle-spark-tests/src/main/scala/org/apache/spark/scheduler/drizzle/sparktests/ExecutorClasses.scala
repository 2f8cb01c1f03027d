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

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.annotation.unused

import org.apache.spark.launcher.JavaModuleOptions
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.{avg, col}

/** Classes that executors of suites map from an archive (class data sharing of applications, JEP 350): there are hundreds of them,
  * they live for seconds, and would load each class anew. A JVM whose class path does not begin with the archive's does without it.
  *
  * @param directory where the archive is made
  * @param agent jar of this module
  */
private[sparktests] final class ExecutorClasses(directory: Path, agent: Path) {
  import ExecutorClasses._

  private val archive = directory.resolve("classes")

  // An archive's class path must have no directories: this module's classes are taken from its jar.
  private val (jars, directories) =
    sys.props("java.class.path").split(File.pathSeparator).toSeq.partition(_.endsWith(".jar"))
  private val shared = jars :+ agent.toString

  /** An executor's class path. */
  def classPath: String = path(shared ++ directories)

  /** Options of an executor's JVM, once there is the archive. */
  def options: String = (ShortLived :+ s"-XX:SharedArchiveFile=$archive").mkString(" ")

  /** Makes the archive of what a small application loads. */
  def make(): Unit = {
    Files.createDirectories(directory)
    Files.deleteIfExists(archive)
    val output = directory.resolve("output")
    val command = Seq(Path.of(sys.props("java.home"), "bin", "java").toString, "-Xmx1g") ++
      JavaModuleOptions.defaultModuleOptionArray() ++ ShortLived ++
      Seq(s"-XX:ArchiveClassesAtExit=$archive", "-cp", path(shared)) ++
      Seq(SmallApplication.getClass.getName.stripSuffix("$"))
    val process = new ProcessBuilder(command: _*)
      .directory(directory.toFile)
      .redirectErrorStream(true)
      .redirectOutput(output.toFile)
      .start()
    val inTime =
      try process.waitFor(10, TimeUnit.MINUTES)
      finally process.destroyForcibly()
    if (!inTime || process.waitFor() != 0 || !Files.exists(archive)) {
      throw new IllegalStateException(s"No archive of classes was made, see $output")
    }
  }

  private def path(entries: Seq[String]): String = entries.mkString(File.pathSeparator)
}

private[sparktests] object ExecutorClasses {
  private val ShortLived = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
}

/** Loads the classes that most executors need, shuffles and queries among them. */
private[sparktests] object SmallApplication {
  def main(@unused arguments: Array[String]): Unit = {
    Class.forName("org.apache.spark.executor.CoarseGrainedExecutorBackend")
    val session = SparkSession
      .builder()
      .master("local[2]")
      .appName("small")
      .config("spark.ui.enabled", "false")
      .config("spark.driver.host", "127.0.0.1")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .getOrCreate()
    try {
      val sc = session.sparkContext
      val one = sc.broadcast(1)
      sc.parallelize(1 to 10, 2).map(i => (i % 3, one.value)).reduceByKey(_ + _).cache().collect()
      val numbers = session.range(100).withColumn("third", col("id") % 3)
      numbers.groupBy("third").agg(avg("id")).join(numbers, "third").collect()
    } finally session.stop()
  }
}
