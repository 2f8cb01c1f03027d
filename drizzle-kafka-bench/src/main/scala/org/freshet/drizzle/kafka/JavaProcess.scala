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
package org.freshet.drizzle.kafka

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.launcher.JavaModuleOptions

/** A JVM of its own, with the class path of this one. It ends with this one, however this one ends.
  *
  * Safe for use by several threads.
  *
  * @param log all that it writes
  */
final class JavaProcess private (process: Process, val log: Path) extends AutoCloseable {

  def isAlive: Boolean = process.isAlive

  /** Ends it at once, as a crash of its machine would. */
  def kill(): Unit = {
    process.destroyForcibly()
    require(
      process.waitFor(JavaProcess.ToDieSeconds, TimeUnit.SECONDS),
      s"It outlives its kill: $log"
    )
  }

  /** Asks it to end, and lets it do what it does then.
    *
    * @throws IllegalArgumentException if it has not ended in time
    */
  def end(seconds: Long): Unit = {
    // Process.destroy would close the pipe as well, by which the process ends at once.
    process.toHandle.destroy()
    require(process.waitFor(seconds, TimeUnit.SECONDS), s"It has not ended in $seconds s: $log")
  }

  def logged: String = if (Files.exists(log)) Files.readString(log) else ""

  override def close(): Unit = kill()
}

object JavaProcess {
  private val ToDieSeconds = 30L

  /** Options of JVMs that live for seconds or minutes, several at a time. */
  val ShortLived: Seq[String] = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

  /** All that were started here, by process id. */
  private val started = ConcurrentHashMap.newKeySet[Long]()

  /** @param mainClass what runs, with `arguments`
    * @param options of the JVM
    */
  def start(
      log: Path,
      mainClass: String,
      arguments: Seq[String],
      options: Seq[String] = Nil
  ): JavaProcess = {
    Files.createDirectories(log.getParent)
    val command = Seq(Path.of(sys.props("java.home"), "bin", "java").toString) ++
      ShortLived ++ JavaModuleOptions.defaultModuleOptionArray() ++ options ++
      Seq(
        "-cp",
        classPath,
        EndsWithParent.getClass.getName.stripSuffix("$"),
        mainClass
      ) ++ arguments
    val process = new ProcessBuilder(command: _*)
      .redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile))
      .start()
    started.add(process.pid)
    new JavaProcess(process, log)
  }

  def classPath: String =
    sys.props.getOrElse("surefire.test.class.path", sys.props("java.class.path"))

  /** The JVMs that this one has started in other ways: executors, whose workers run in it. */
  def others: Seq[ProcessHandle] = ProcessHandle.current.children.iterator.asScala.filter { child =>
    !started.contains(child.pid) && child.info.command.filter(_.endsWith("/java")).isPresent
  }.toSeq

  /** Closes each, also if one before it fails, and ends what is left running then.
    *
    * @param resources some may be null, where a test has not come to them
    * @throws IllegalStateException if anything had to be ended
    */
  def closeAll(resources: AutoCloseable*): Unit =
    try
      Using.Manager { use =>
        resources.filter(_ != null).reverse.foreach(use(_))
      }.get
    finally {
      def left = ProcessHandle.current.children.iterator.asScala.filter(_.isAlive).toSeq
      try Waiting.until("end of all processes", ToDieSeconds, left)(left.isEmpty)
      finally left.foreach(_.destroyForcibly())
    }
}

/** Runs a class until the process that has started this one is gone. */
object EndsWithParent {

  /** @param arguments a class with a `main`, and its arguments */
  def main(arguments: Array[String]): Unit = {
    val watch = new Thread(() => {
      // Nothing is ever written there.
      while (System.in.read() >= 0) {}
      Runtime.getRuntime.halt(1)
    })
    watch.setName("ends-with-parent")
    watch.setDaemon(true)
    watch.start()
    Class
      .forName(arguments.head)
      .getMethod("main", classOf[Array[String]])
      .invoke(null, arguments.tail)
    ()
  }
}
