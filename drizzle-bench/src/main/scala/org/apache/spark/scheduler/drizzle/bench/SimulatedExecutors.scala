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

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.LongAdder

import scala.concurrent.{Await, Future}
import scala.concurrent.duration.Duration

import org.apache.spark.{SecurityManager, SparkConf}
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.rpc.{RpcAddress, RpcCallContext, RpcEndpoint, RpcEndpointRef, RpcEnv}
import org.apache.spark.rpc.ThreadSafeRpcEndpoint
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages._
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend
import org.apache.spark.scheduler.drizzle.{Courier, Dispatcher, DrizzleAgent, MessageCodec}
import org.apache.spark.scheduler.drizzle.{Register, Skeletons, ToAgent, Transport}
import org.apache.spark.storage.BlockManagerId

/** Have as many executors as this. The answer is `true`, when the driver's schedulers know them all. */
private[bench] final case class Grow(executors: Int)

/** Asks for [[Traffic]]. */
private[bench] case object HowMuch

/** What the driver and the executors have sent each other so far: messages with tasks and about them, and
  * answers.
  *
  * @param bytes from the driver
  * @param cpuNs for how long the simulating process has used a processor
  */
private[bench] final case class Traffic(
    fromDriver: Long,
    toDriver: Long,
    bytes: Long,
    cpuNs: Long
) {
  def -(before: Traffic): Traffic = Traffic(
    fromDriver - before.fromDriver,
    toDriver - before.toDriver,
    bytes - before.bytes,
    cpuNs - before.cpuNs
  )
}

/** A process that stands for many executors: for Spark's scheduler, which they register with as real ones do,
  * and for Freshet's agents. Tasks are answered and not run. Prints the port on which it takes
  * [[Grow]], and ends with its input.
  */
private[bench] object SimulatedExecutors {
  val Name = "simulated-executors"

  /** Agents share this many addresses. Those of a job's reducers are named to its maps. */
  private val Listening = TaskResults.Reducers

  /** @param arguments the driver's host and port, cores of each executor, and whether there are agents */
  def main(arguments: Array[String]): Unit = {
    val Array(host, port, cores, withAgents) = arguments: @unchecked
    val executors = new SimulatedExecutors(
      RpcAddress(host, port.toInt),
      cores.toInt,
      withAgents.toBoolean
    )
    println(executors.port)
    while (System.in.read() >= 0) {}
    sys.exit()
  }

  def blockManager(executorId: String): BlockManagerId =
    BlockManagerId(executorId, hostOf(executorId.toInt), 7337)

  private def hostOf(executor: Int): String = f"h$executor%05d"
}

private[bench] final class SimulatedExecutors(driver: RpcAddress, cores: Int, withAgents: Boolean) {
  import SimulatedExecutors._

  private val conf = new SparkConf()
    // Linux counts what is read in this way.
    .set("spark.rpc.io.mode", "NIO")
    .set("spark.rpc.netty.dispatcher.numThreads", "2")
    .set("spark.rpc.io.serverThreads", "1")
    .set("spark.rpc.io.clientThreads", "1")
  private val security = new SecurityManager(conf)
  private val results = new TaskResults(conf, isStock = !withAgents)
  private val fromDriver = new LongAdder
  private val toDriver = new LongAdder
  @volatile private var registered = 0

  // As an executor's own, this does not listen.
  private val client = RpcEnv.create(Name, driver.host, driver.host, -1, conf, security, 1, true)
  private val schedulerRef =
    client.setupEndpointRef(driver, CoarseGrainedSchedulerBackend.ENDPOINT_NAME)
  private val stock = client.setupEndpoint(
    Name,
    new StockExecutors(client, schedulerRef, conf, results, fromDriver, toDriver)
  )
  private val courier = new Courier(
    Name,
    new Transport {
      override def againMs: Long = Transport.Direct.againMs

      override def ask(endpoint: RpcEndpointRef, bytes: Array[Byte]): Future[Boolean] = {
        toDriver.increment()
        fromDriver.increment()
        Transport.Direct.ask(endpoint, bytes)
      }

      override def close(): Unit = ()
    }
  )
  private lazy val dispatcherRef = client.setupEndpointRef(driver, Dispatcher.EndpointName)
  private val jobs = new AgentJobs(
    results,
    work => blockManager((work.taskId % math.max(1, registered)).toString)
  )
  private val listening =
    Vector.fill(Listening)(RpcEnv.create(Name, driver.host, 0, conf, security))
  listening.foreach(env => env.setupEndpoint(DrizzleAgent.Name, new Agents(env)))
  listening.head.setupEndpoint(Name, new Control(listening.head))

  def port: Int = listening.head.address.port

  /** Which agent a message is for can't be told, but one message is for one agent. All have what one was sent. */
  private final class Agents(override val rpcEnv: RpcEnv) extends ThreadSafeRpcEndpoint {
    private val skeletons = new Skeletons.OfExecutor

    override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
      case bytes: Array[Byte] =>
        fromDriver.increment()
        toDriver.increment()
        jobs.handle(
          MessageCodec.read[ToAgent](bytes, skeletons),
          courier.outbox(() => dispatcherRef)
        )
        call.reply(true)
    }
  }

  private final class Control(override val rpcEnv: RpcEnv) extends RpcEndpoint {
    override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
      case Grow(executors) =>
        (registered until executors).foreach(register)
        registered = math.max(registered, executors)
        // The driver handles it after all before.
        schedulerRef.askSync[SparkAppConfig](
          RetrieveSparkAppConfig(ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID)
        )
        call.reply(true)
      case HowMuch =>
        call.reply(Traffic(fromDriver.sum(), toDriver.sum(), Process.bytesRead, Process.cpuNs))
    }
  }

  private def register(executor: Int): Unit = {
    val (id, host) = (executor.toString, hostOf(executor))
    schedulerRef.askSync[Boolean](
      RegisterExecutor(
        id,
        stock,
        host,
        cores,
        Map.empty,
        Map.empty,
        Map.empty,
        ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID
      )
    )
    schedulerRef.send(LaunchedExecutor(id))
    if (withAgents) {
      val address = listening(executor % Listening).address
      val asked = Transport.Direct
        .ask(dispatcherRef, MessageCodec.bytes(Vector(Register(id, host, address))))
      Await.result(asked, Duration(1, TimeUnit.MINUTES))
    }
  }
}
