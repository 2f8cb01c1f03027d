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

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, MINUTES}
import scala.jdk.CollectionConverters._

import com.codahale.metrics.Gauge
import org.apache.spark.{SparkConf, SparkContext, SparkEnv}
import org.apache.spark.deploy.TwoHosts
import org.apache.spark.scheduler._
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.iterate.IterationGroup

/** A standalone master with two workers of one core each, whose executors are processes. */
private[drizzle] object TestCluster {
  def start(): SparkContext = start(2)

  /** Starts one and waits until so many executors take tasks ahead. */
  def start(executors: Int, settings: (String, String)*): SparkContext =
    start("local-cluster[2,1,1024]", executors, settings)

  /** One whose two executors have so many cores each. */
  def startWithCores(cores: Int, settings: (String, String)*): SparkContext =
    start(s"local-cluster[2,$cores,1024]", 2, settings)

  /** One with so many executors of so many cores each. */
  def startMany(executors: Int, cores: Int, settings: (String, String)*): SparkContext =
    start(s"local-cluster[$executors,$cores,1024]", executors, settings)

  /** One on two hosts, with an executor each. */
  def withTwoHosts(settings: (String, String)*)(test: SparkContext => Unit): Unit = {
    val hosts = new TwoHosts
    try {
      val sc = start(hosts.url, 2, settings)
      try test(sc)
      finally sc.stop()
    } finally hosts.close()
  }

  private def start(
      master: String,
      executors: Int,
      settings: Seq[(String, String)]
  ): SparkContext = {
    val sc = new SparkContext(conf(master, settings: _*))
    awaitAgents(sc, executors)
    sc
  }

  /** With the plug-in. */
  def conf(master: String, settings: (String, String)*): SparkConf =
    new SparkConf(false)
      .setMaster(master)
      .setAppName("drizzle")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
      .setAll(SharedClasses.settings)
      .setAll(settings)

  /** Waits until so many executors take tasks ahead, or more. */
  def awaitAgents(sc: SparkContext, count: Int): Unit = awaitAgents(sc, _ >= count)

  /** Waits until as many executors take tasks ahead as are wanted. */
  def awaitAgents(sc: SparkContext, wanted: Int => Boolean): Unit =
    await(ours(sc).forall(dag => wanted(dag.dispatcher.agentCount)))

  /** Waits until all executors get as many tasks, whatever was slow before. */
  def awaitEvenShares(sc: SparkContext): Unit =
    await(source(sc).gauge("executors.slow").contains(0))

  /** Waits until something is so that no event tells. */
  def await(condition: => Boolean): Unit = {
    val deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2)
    while (!condition) {
      require(System.nanoTime() < deadline, "It has not come to this in two minutes")
      Thread.sleep(20)
    }
  }

  def source(sc: SparkContext): DrizzleSource =
    sc.env.metricsSystem.getSourcesByName("drizzle").head.asInstanceOf[DrizzleSource]

  /** For a task: what a metric of its executor's agent says. */
  def agentHas(gauge: String): Long = SparkEnv.get.metricsSystem
    .getSourcesByName(s"plugin.${classOf[DrizzlePlugin].getName}")
    .flatMap(source => Option(source.metricRegistry.getGauges.get(gauge)))
    .collectFirst { case found: Gauge[_] => found.getValue.asInstanceOf[Long] }
    .getOrElse(throw new IllegalStateException(s"This executor has no metric $gauge"))

  /** Ends an executor without a chance to say so, and waits until it is gone. */
  def end(pid: Long): Unit = {
    val process = ProcessHandle.of(pid).get
    assertThat(process.destroyForcibly()).isTrue()
    process.onExit().get(1, TimeUnit.MINUTES)
  }

  /** A context of stock Spark in this process, for a test. */
  def locally(settings: (String, String)*)(test: SparkContext => Unit): Unit = {
    val sc =
      new SparkContext(
        new SparkConf(false).setMaster("local[1]").setAppName("test").setAll(settings)
      )
    try test(sc)
    finally sc.stop()
  }

  /** The process ids of both executors, which have as many tasks from then on. */
  def executors(sc: SparkContext): (Long, Long) = {
    awaitAgents(sc, 2)
    var pids = Array.empty[Long]
    await {
      pids = sc.parallelize(0 until 2, 2).map(_ => ProcessHandle.current.pid).distinct(1).collect()
      pids.length == 2
    }
    awaitEvenShares(sc)
    (pids(0), pids(1))
  }

  /** Has commands of the shell send signals to processes. */
  def signals(commands: String): Unit = awaitEnd(later(commands))

  /** Another process, which goes on while this one stands still. */
  def later(commands: String): Process = new ProcessBuilder("sh", "-ec", commands).start()

  /** Another JVM, with the module options of this one, that runs an object's `main`. */
  def startJava(
      output: Path,
      options: Seq[String],
      classPath: String,
      main: String,
      argument: String
  ): Process = {
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
      .filter(_.startsWith("--add-opens"))
    val command = Seq(Path.of(sys.props("java.home"), "bin", "java").toString, "-Xmx512m") ++
      opens ++ options ++ Seq("-cp", classPath, main, argument)
    new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(output.toFile)
      .start()
  }

  def awaitEnd(process: Process): Unit = {
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue()
    assertThat(process.exitValue()).isZero()
  }

  /** What this thread submits meanwhile is left to Spark's own scheduler. */
  def switchedOff[A](sc: SparkContext)(run: => A): A = {
    sc.setLocalProperty(DrizzleKeys.Enabled.key, "false")
    try run
    finally sc.setLocalProperty(DrizzleKeys.Enabled.key, null)
  }

  /** While a task that Spark runs has a slot. It ends when that has ended.
    *
    * @param dir an empty directory
    */
  def besideSpark(sc: SparkContext, dir: Path)(run: => Unit): Unit = {
    val gate = Files.createFile(dir.resolve("gate")).toString
    val begun = Files.createFile(dir.resolve("begun")).toString
    val ofSpark = switchedOff(sc) {
      sc.parallelize(Seq(1), 1)
        .map { i =>
          Files.delete(Path.of(begun))
          Gate.await(gate)
          i
        }
        .collectAsync()
    }
    Gate.await(begun)
    run
    assertThat(ofSpark.isCompleted).isFalse()
    Files.delete(Path.of(gate))
    assertThat(Await.result(ofSpark, Duration(1, MINUTES))).isEqualTo(Seq(1))
  }

  def events(sc: SparkContext): Events = {
    val events = new Events(sc)
    sc.addSparkListener(events)
    events
  }

  /** The groups of iterations that were begun, in order. */
  def groups(seen: Seq[SparkListenerEvent]): Seq[IterationGroup] = seen
    .collect { case e: SparkListenerJobStart =>
      e.properties.getProperty(SparkContext.SPARK_JOB_DESCRIPTION, "")
    }
    .collect {
      case s"Iterations $first to $last" => IterationGroup(first.toInt, last.toInt)
      case s"Iterations $only"           => IterationGroup(only.toInt, only.toInt)
    }

  private def ours(sc: SparkContext): Option[DrizzleDAGScheduler] = sc.dagScheduler match {
    case dag: DrizzleDAGScheduler => Some(dag)
    case _                        => None
  }

  def classPath: String =
    sys.props.getOrElse("surefire.test.class.path", sys.props("java.class.path"))
}

/** What listeners are told, in order. */
private[drizzle] final class Events(sc: SparkContext) extends SparkListener {
  private val all = new ConcurrentLinkedQueue[SparkListenerEvent]

  override def onJobStart(e: SparkListenerJobStart): Unit = all.add(e)
  override def onJobEnd(e: SparkListenerJobEnd): Unit = all.add(e)
  override def onStageSubmitted(e: SparkListenerStageSubmitted): Unit = all.add(e)
  override def onStageCompleted(e: SparkListenerStageCompleted): Unit = all.add(e)
  override def onTaskStart(e: SparkListenerTaskStart): Unit = all.add(e)
  override def onTaskEnd(e: SparkListenerTaskEnd): Unit = all.add(e)
  override def onSpeculativeTaskSubmitted(e: SparkListenerSpeculativeTaskSubmitted): Unit =
    all.add(e)
  override def onExecutorMetricsUpdate(e: SparkListenerExecutorMetricsUpdate): Unit = all.add(e)
  override def onExecutorExcludedForStage(e: SparkListenerExecutorExcludedForStage): Unit =
    all.add(e)
  override def onExecutorExcluded(e: SparkListenerExecutorExcluded): Unit = all.add(e)

  def seen: Seq[SparkListenerEvent] = {
    sc.listenerBus.waitUntilEmpty(TimeUnit.SECONDS.toMillis(30))
    all.asScala.toSeq
  }
}

/** Something that is done once, whichever process comes to it first. */
private[drizzle] final class Once(directory: Path) extends Serializable {
  private val marker = Files.createTempFile(directory, "once", "").toString

  def isFirst: Boolean = Files.deleteIfExists(Path.of(marker))
}

/** How many tasks an executor runs at once. */
private[drizzle] object Gate {

  /** Waits until a file is gone. */
  def await(file: String): Unit = while (Files.exists(Path.of(file))) Thread.sleep(5)
}

private[drizzle] object AtOnce {
  private val now = new AtomicInteger

  /** Computes for a while.
    *
    * @return how many tasks were doing so at once, at most
    */
  def mostWhile(): Int = {
    var most = now.incrementAndGet()
    val until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10)
    while (System.nanoTime() < until)
      most = math.max(most, now.get)
    now.decrementAndGet()
    most
  }
}
