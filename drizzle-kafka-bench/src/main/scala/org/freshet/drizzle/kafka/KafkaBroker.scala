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

import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.util.{Collections, Properties}
import java.util.concurrent.{ExecutionException, ThreadLocalRandom, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import kafka.tools.StorageTool
import org.apache.kafka.clients.admin.{Admin, AdminClientConfig, NewTopic, OffsetSpec}
import org.apache.kafka.common.{TopicPartition, Uuid}
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException

/** One Kafka broker, which is its own controller (KRaft), on the loopback interface, in a process of its
  * own. It is there from [[KafkaBroker.start]] until it is closed.
  *
  * Safe for use by several threads.
  *
  * @param address where clients find it: `host:port`
  */
final class KafkaBroker private (process: JavaProcess, val address: String) extends AutoCloseable {
  private val admin = KafkaBroker.admin(address, KafkaBroker.LimitSeconds)

  /** Returns when its partitions can be written and read.
    *
    * @param settings of the topic, by Kafka's names
    */
  def createTopic(
      name: String,
      partitions: Int,
      settings: Map[String, String] = Map.empty
  ): Unit = {
    val topic = new NewTopic(name, partitions, 1.toShort).configs(settings.asJava)
    admin
      .createTopics(Collections.singleton(topic))
      .all
      .get(KafkaBroker.LimitSeconds, TimeUnit.SECONDS)
    // Only who leads a partition knows its end. A client asks until there is a leader, but what it asks of the topic
    // itself fails at once if it comes before the broker has read its own log.
    Waiting.until(s"leader of each partition of $name", KafkaBroker.LimitSeconds)(
      try ends(name, partitions).size == partitions
      catch {
        case e: ExecutionException if e.getCause.isInstanceOf[UnknownTopicOrPartitionException] =>
          false
      }
    )
  }

  /** The offset behind the last record of each partition that a reader of committed records sees. */
  def ends(topic: String, partitions: Int): Map[Int, Long] = {
    val asked = (0 until partitions).map(p => new TopicPartition(topic, p) -> OffsetSpec.latest())
    val told =
      admin.listOffsets(asked.toMap.asJava).all.get(KafkaBroker.LimitSeconds, TimeUnit.SECONDS)
    told.asScala.map { case (partition, end) => partition.partition -> end.offset }.toMap
  }

  /** What a group has committed for each partition of its one topic. */
  def committed(group: String): Map[Int, Long] = {
    val told = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata
    val offsets = told.get(KafkaBroker.LimitSeconds, TimeUnit.SECONDS).asScala
    offsets.map { case (partition, committed) => partition.partition -> committed.offset }.toMap
  }

  override def close(): Unit =
    try admin.close(java.time.Duration.ZERO)
    finally process.kill()
}

object KafkaBroker {
  private val LimitSeconds = 60L
  private val Attempts = 3

  /** Below those that the system gives to outgoing connections. */
  private val Ports = 20000 until 32000

  /** Starts one, and returns when it answers.
    *
    * @param directory for its log segments and its output; must be there and empty
    * @throws IllegalStateException if it does not come up; none is left running then
    */
  def start(directory: Path): KafkaBroker = {
    // A port that was free may be taken before the broker binds it.
    val tried = Iterator.range(0, Attempts).map(n => Try(startIn(directory.resolve(s"broker$n"))))
    var last: Try[KafkaBroker] = tried.next()
    while (last.isFailure && tried.hasNext) last = tried.next()
    last.get
  }

  private def startIn(directory: Path): KafkaBroker = {
    Files.createDirectories(directory)
    val (clients, controller) = (freePort(), freePort())
    val address = s"127.0.0.1:$clients"
    val configuration = directory.resolve("server.properties")
    val settings = Seq(
      "process.roles" -> "broker,controller",
      "node.id" -> "1",
      "controller.quorum.voters" -> s"1@127.0.0.1:$controller",
      "controller.listener.names" -> "CONTROLLER",
      "listeners" -> s"PLAINTEXT://$address,CONTROLLER://127.0.0.1:$controller",
      "advertised.listeners" -> s"PLAINTEXT://$address",
      "log.dirs" -> directory.resolve("data").toString,
      "auto.create.topics.enable" -> "false",
      "group.initial.rebalance.delay.ms" -> "0",
      "offsets.topic.num.partitions" -> "1",
      "offsets.topic.replication.factor" -> "1",
      "transaction.state.log.num.partitions" -> "1",
      "transaction.state.log.replication.factor" -> "1",
      "transaction.state.log.min.isr" -> "1"
    )
    Files.write(configuration, settings.map { case (key, value) => s"$key=$value" }.asJava)
    val process = JavaProcess.start(
      directory.resolve("output"),
      BrokerMain.getClass.getName.stripSuffix("$"),
      Seq(Uuid.randomUuid.toString, configuration.toString),
      Seq("-Xmx512m")
    )
    try {
      Using.resource(admin(address, seconds = 2)) { admin =>
        Waiting.until("answer of the broker", LimitSeconds, process.logged) {
          if (!process.isAlive) {
            throw new IllegalStateException(s"The broker has ended: ${process.logged}")
          }
          answers(admin)
        }
      }
      new KafkaBroker(process, address)
    } catch {
      case e: Throwable =>
        process.kill()
        throw e
    }
  }

  private def answers(admin: Admin): Boolean =
    try !admin.describeCluster().nodes().get().isEmpty
    catch { case _: ExecutionException => false }

  /** @param seconds that it tries to get an answer */
  private def admin(address: String, seconds: Long): Admin = {
    val properties = new Properties
    properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address)
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, s"${seconds}000")
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, s"${seconds}000")
    properties.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "100")
    Admin.create(properties)
  }

  private def freePort(): Int = {
    val random = ThreadLocalRandom.current
    Iterator.continually(Ports(random.nextInt(Ports.size))).take(1000).find(isFree).get
  }

  private def isFree(port: Int): Boolean =
    Try(new ServerSocket(port, 1, InetAddress.getLoopbackAddress).close()).isSuccess
}

/** The broker's process: formats its storage and runs Kafka's own main class. */
object BrokerMain {

  /** @param arguments the cluster's identity; the file with the broker's settings */
  def main(arguments: Array[String]): Unit = {
    val (cluster, configuration) = (arguments(0), arguments(1))
    val format = Array("format", "--cluster-id", cluster, "--config", configuration)
    require(StorageTool.execute(format, System.out) == 0, "The storage cannot be formatted")
    kafka.Kafka.main(Array(configuration))
  }
}
