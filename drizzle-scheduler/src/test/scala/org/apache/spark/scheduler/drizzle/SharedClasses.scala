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

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import java.util.jar.{JarEntry, JarOutputStream}

import scala.util.Using

import org.apache.spark.{SparkConf, SparkContext}

/** Classes of Spark's that executors map, where they would load each anew: of the time that a small application takes a JVM,
  * two fifths. The archive (class data sharing of applications, JEP 350) is made once in a JVM of tests, by a small application. A
  * JVM whose class path does not begin with the archive's does without it; so do all if it can't be made.
  */
private[drizzle] object SharedClasses {

  /** For JVMs that live for seconds. */
  private val quick = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

  private val place =
    Files.createDirectories(Path.of("target", "shared-classes").toAbsolutePath)
  private val program = place.resolve("program.jar")
  private[drizzle] val archive = place.resolve("archive")

  // An archive's class path must have no directories.
  private val (jars, directories) =
    TestCluster.classPath.split(File.pathSeparator).toSeq.partition(_.endsWith(".jar"))

  /** Settings of executors: their class path and options. */
  lazy val settings: Seq[(String, String)] = {
    val options =
      if (make()) quick :+ s"-XX:SharedArchiveFile=$archive"
      else {
        System.err.println(s"Executors share no classes: see ${place.resolve("output")}")
        quick
      }
    Seq(
      "spark.executor.extraClassPath" -> path((jars :+ program.toString) ++ directories),
      "spark.executor.extraJavaOptions" -> options.mkString(" ")
    )
  }

  private def make(): Boolean = {
    Files.deleteIfExists(archive)
    writeProgram()
    val process = TestCluster.startJava(
      place.resolve("output"),
      quick :+ s"-XX:ArchiveClassesAtExit=$archive",
      path(jars :+ program.toString),
      SmallApplication.getClass.getName.stripSuffix("$"),
      "small"
    )
    try
      process.waitFor(4, TimeUnit.MINUTES) && process.exitValue() == 0 && Files.exists(archive)
    finally process.destroyForcibly()
  }

  private def writeProgram(): Unit = {
    val classes =
      Path.of(SmallApplication.getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
    val name = SmallApplication.getClass.getName.replace('.', '/')
    Using.resource(new JarOutputStream(Files.newOutputStream(program))) { jar =>
      Seq(name, name.stripSuffix("$")).map(_ + ".class").foreach { file =>
        jar.putNextEntry(new JarEntry(file))
        Files.copy(classes.resolve(file), jar)
      }
    }
  }

  private def path(entries: Seq[String]): String = entries.mkString(File.pathSeparator)
}

/** Does what loads the classes that most executors need; of this module, there is nothing else on its class path. */
private[drizzle] object SmallApplication {
  def main(arguments: Array[String]): Unit = {
    Class.forName("org.apache.spark.executor.CoarseGrainedExecutorBackend")
    val sc = new SparkContext(
      new SparkConf(false)
        .setMaster("local[2]")
        .setAppName(arguments.head)
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
    )
    try {
      val one = sc.broadcast(1)
      sc.parallelize(1 to 10, 2).map(i => (i % 3, one.value)).reduceByKey(_ + _).cache().collect()
    } finally sc.stop()
  }
}
