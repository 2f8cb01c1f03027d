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

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** What this process has used so far. */
private[bench] object Process {
  private val Read = "rchar: "

  /** Of processors, by all its threads. */
  def cpuNs: Long = ManagementFactory.getOperatingSystemMXBean match {
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime
    case other => throw new UnsupportedOperationException(s"$other does not tell CPU time")
  }

  /** From files and, unless Netty reads them in a way of its own, from sockets. */
  def bytesRead: Long = Files
    .readAllLines(Path.of("/proc/self/io"))
    .asScala
    .collectFirst { case line if line.startsWith(Read) => line.drop(Read.length).toLong }
    .getOrElse(throw new UnsupportedOperationException(s"/proc/self/io does not have '$Read'"))
}
