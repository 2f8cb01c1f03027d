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
package org.apache.spark.scheduler.drizzle.bench

import java.lang.ProcessBuilder.Redirect
import java.nio.file.Path

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.rpc.RpcAddress

/** A driver, and a process with [[SimulatedExecutors]].
  *
  * @param classPath of that process
  * @param settings of the driver
  */
private[bench] final class Simulator(classPath: String, settings: (String, String)*)
    extends AutoCloseable {
  val sc = new SparkContext(
    new SparkConf()
      .setMaster(SimulatedCluster.Master)
      .setAppName("Simulated executors")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      // Simulated executors have no heartbeat.
      .set("spark.network.timeout", "1h")
      // Nor a JVM that has to load classes: those that come later would rehearse while others are measured.
      .set("spark.freshet.drizzle.rehearsal.most", "0")
      .setAll(settings)
  )
  private val env = sc.env.rpcEnv
  private val withAgents = sc.conf.contains("spark.plugins")
  private val process = new ProcessBuilder(
    Path.of(sys.props("java.home"), "bin", "java").toString,
    "-Xmx2g",
    "-XX:+UseParallelGC",
    "-cp",
    classPath,
    SimulatedExecutors.getClass.getName.stripSuffix("$"),
    env.address.host,
    env.address.port.toString,
    Simulator.Cores.toString,
    withAgents.toString
  ).redirectError(Redirect.INHERIT).start()

  private val port = Option(process.inputReader().readLine())
    .getOrElse(throw new IllegalStateException("The simulated executors have not started"))
  private val executors =
    env.setupEndpointRef(RpcAddress(env.address.host, port.toInt), SimulatedExecutors.Name)

  /** Returns when the driver's schedulers know so many executors. */
  def grow(count: Int): Unit =
    require(executors.askSync[Boolean](Grow(count)), s"There are not $count executors")

  def traffic(): Traffic = executors.askSync[Traffic](HowMuch)

  override def close(): Unit = {
    // Else it would learn that all its executors were lost.
    sc.stop()
    process.outputWriter().close()
    process.waitFor()
  }
}

private[bench] object Simulator {

  /** Of each executor. */
  val Cores = 4
}
