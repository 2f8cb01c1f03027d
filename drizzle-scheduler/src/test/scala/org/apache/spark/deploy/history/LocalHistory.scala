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
package org.apache.spark.deploy.history

import java.nio.file.Path

import org.apache.spark.SparkConf

/** Spark's history server on a free port of the loopback interface. */
final class LocalHistory(logDirectory: Path) extends AutoCloseable {
  private val conf = new SparkConf(false)
    .set("spark.history.fs.logDirectory", logDirectory.toUri.toString)
    .set("spark.history.fs.update.interval", "1s")
  private val provider = new FsHistoryProvider(conf)
  private val server =
    new HistoryServer(conf, provider, HistoryServer.createSecurityManager(conf), 0)

  server.bind()
  provider.start()

  /** Where an application's UI is, once the server has found it. */
  def url(applicationId: String): String =
    s"http://127.0.0.1:${server.boundPort}/history/$applicationId"

  override def close(): Unit = server.stop()
}
