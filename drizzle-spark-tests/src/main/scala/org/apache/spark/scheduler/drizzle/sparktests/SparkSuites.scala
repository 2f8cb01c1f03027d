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
import java.util.Comparator
import java.util.concurrent.TimeUnit

import scala.util.Using

import org.apache.spark.launcher.JavaModuleOptions
import org.apache.spark.scheduler.drizzle.DrizzlePlugin

/** Runs suites of Spark's own, each in a JVM of its own with a limit to its time, and says what came of it.
  *
  * @param directory where suites run and leave their outcomes
  * @param agent jar of [[MasterAgent]]
  * @param isOn whether Freshet is switched on; without it, all is the same but that
  */
private[sparktests] final class SparkSuites(
    directory: Path,
    agent: Path,
    isOn: Boolean,
    minutes: Int
) {
  import SparkSuites._

  private val classPath = sys.props("java.class.path")
  private val executors = new ExecutorClasses(directory.resolve("executors"), agent)

  /** To be called before suites are run. */
  def prepare(): Unit = executors.make()

  def run(suite: String, master: Master, expected: Seq[Expected]): SuiteResult = {
    val place = directory.resolve(suite)
    clear(place)
    val start = System.nanoTime()
    val process = launch(suite, master, place)
    val inTime =
      try process.waitFor(minutes.toLong, TimeUnit.MINUTES)
      finally kill(process)
    SuiteResult(
      suite,
      Outcome.readAll(place.resolve("outcomes")),
      Contexts.read(place.resolve("witness")),
      TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
      inTime,
      isOn,
      expected.filter(_.suite == suite)
    )
  }

  private def launch(suite: String, master: Master, place: Path): Process = {
    val settings = Seq(
      ClusterMaster.MostExecutors -> (if (master == OneExecutor) "1" else "2"),
      Witness.File -> place.resolve("witness").toString,
      "java.io.tmpdir" -> place.resolve("tmp").toString,
      "java.awt.headless" -> "true",
      "derby.system.durability" -> "test",
      // As in Spark's own build.
      "spark.test.home" -> place.toString,
      "spark.testing" -> "1",
      "spark.ui.enabled" -> "false",
      "spark.ui.showConsoleProgress" -> "false",
      "spark.unsafe.exceptionOnMemoryLeak" -> "true",
      "spark.driver.host" -> "127.0.0.1",
      "spark.driver.bindAddress" -> "127.0.0.1",
      "spark.executor.extraClassPath" -> executors.classPath,
      "spark.executor.extraJavaOptions" -> executors.options,
      "spark.plugins" -> plugins.mkString(",")
    ).map { case (key, value) => s"-D$key=$value" }
    val command = Seq(Path.of(sys.props("java.home"), "bin", "java").toString, "-ea", "-Xmx3g") ++
      Seq("-Xss4m") ++ Seq(s"-javaagent:$agent").filterNot(_ => master == OwnMaster) ++
      JavaModuleOptions.defaultModuleOptionArray() ++ settings ++
      Seq(SuiteRun.getClass.getName.stripSuffix("$"), suite) ++
      Seq("outcomes", "reasons").map(place.resolve(_).toString)
    val builder = new ProcessBuilder(command: _*)
      .directory(place.toFile)
      .redirectErrorStream(true)
      .redirectOutput(place.resolve("output").toFile)
    val environment = builder.environment()
    environment.put("CLASSPATH", s"${place.resolve(Resources)}${File.pathSeparator}$classPath")
    environment.put("SPARK_HOME", place.toString)
    environment.put("SPARK_TESTING", "1")
    environment.put("SPARK_SCALA_VERSION", "2.13")
    environment.put("SPARK_LOCAL_IP", "127.0.0.1")
    builder.start()
  }

  private def plugins: Seq[String] =
    Seq(classOf[DrizzlePlugin]).filter(_ => isOn).map(_.getName) :+ classOf[Witness].getName

  /** Executors are children of the suite's process. */
  private def kill(process: Process): Unit = {
    val executors = process.descendants().toList
    process.destroyForcibly().waitFor()
    executors.forEach { executor => executor.destroyForcibly(); () }
  }

  private def clear(place: Path): Unit = {
    if (Files.exists(place)) {
      Using.resource(Files.walk(place)) { files =>
        files.sorted(Comparator.reverseOrder[Path]()).forEach(file => Files.delete(file))
      }
    }
    Files.createDirectories(place.resolve("tmp"))
    // What a worker takes for an installation of Spark.
    Files.createDirectories(place.resolve("jars"))
    val resources = Files.createDirectories(place.resolve(Resources))
    ReadAsFiles.foreach { name =>
      Using.resource(getClass.getClassLoader.getResourceAsStream(name)) { in =>
        Files.copy(in, resources.resolve(name))
      }
    }
  }
}

private[sparktests] object SparkSuites {

  /** What becomes of a `local` master that a suite asks for, see [[ClusterMaster]]. */
  private[sparktests] sealed trait Master
  private[sparktests] object Master {
    def read(word: Option[String]): Master = word match {
      case None                 => TwoExecutors
      case Some("one-executor") => OneExecutor
      case Some("own-master")   => OwnMaster
      case Some(other) =>
        throw new IllegalArgumentException(
          s"not 'one-executor' or 'own-master' after a suite's name: $other"
        )
    }
  }
  private[sparktests] case object TwoExecutors extends Master
  private[sparktests] case object OneExecutor extends Master
  private[sparktests] case object OwnMaster extends Master

  private val Resources = "resources"

  /** Resources that suites open as files, which those in a jar are not. */
  private val ReadAsFiles = Seq("fairscheduler.xml")

  /** @param arguments directory of the lists, one for the outcomes, the agent's jar, whether Freshet is on,
    *   minutes that a suite may take, and the suites' names with commas between, or none for all
    */
  def main(arguments: Array[String]): Unit = {
    val (lists, directory, agent) = (arguments(0), arguments(1), arguments(2))
    val (isOn, minutes, chosen) = (arguments(3), arguments(4), arguments(5))
    val expected = Expected.readAll(Path.of(lists, "expected-failures.txt"))
    val all = Expected.lines(Path.of(lists, "suites.txt")).map(_.split(' ').toSeq)
    val names = chosen.split(',').filter(_.nonEmpty).toSeq
    val masters = all.map(words => words.head -> Master.read(words.lift(1))).toMap
    val suites = new SparkSuites(
      Path.of(directory),
      Path.of(agent),
      isOn.toBoolean,
      minutes.toInt
    )
    suites.prepare()
    val results = (if (names.isEmpty) all.map(_.head) else names).map { suite =>
      val result = suites.run(suite, masters.getOrElse(suite, TwoExecutors), expected)
      result.lines.foreach(println)
      result
    }
    println(SuiteResult.sum(results))
    if (results.exists(_.complaints.nonEmpty)) {
      System.exit(1)
    }
  }
}
