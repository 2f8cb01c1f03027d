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
package org.apache.spark.deploy

import java.nio.file.{Files, Path}

import org.apache.spark.SparkConf
import org.apache.spark.deploy.master.Master
import org.apache.spark.deploy.worker.Worker

/** A standalone Spark on the loopback interface: a master and two workers of one core each in this process,
  * whose executors are its children.
  *
  * @param directory of the workers, with the output of their executors
  */
final class StandaloneSpark(directory: Path) extends AutoCloseable {
  // What a worker takes for an installation of Spark.
  Files.createDirectories(Path.of(sys.env("SPARK_HOME"), "jars"))

  private val conf = new SparkConf(false)
    .set("spark.master.rest.enabled", "false")
    // Executors are killed on purpose.
    .set("spark.deploy.maxExecutorRetries", "-1")
  private val (master, _, _) = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)

  val url: String = s"spark://127.0.0.1:${master.address.port}"

  private val workers =
    for (i <- 1 to 2)
      yield Worker.startRpcEnvAndEndpoint(
        "127.0.0.1",
        0,
        0,
        cores = 1,
        memory = 1024,
        Array(url),
        directory.resolve(s"worker$i").toString,
        Some(i),
        conf
      )

  override def close(): Unit = {
    val all = workers :+ master
    all.foreach(_.shutdown())
    all.foreach(_.awaitTermination())
  }
}
