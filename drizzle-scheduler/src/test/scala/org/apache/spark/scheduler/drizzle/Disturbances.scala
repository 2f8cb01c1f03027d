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

import scala.jdk.CollectionConverters._
import scala.util.Random

/** Processes that stand still for a while, or are slow: executors of this JVM's applications, and the driver. */
private[drizzle] final class Disturbances(random: Random) {

  /** Begins one, without waiting for its end.
    *
    * @param others so many times as often as each kind, there is none
    */
  def begin(others: Int): Option[Process] = {
    val which = random.nextInt(3 + others)
    val executors = Disturbances.executors.toVector.sorted
    def executor = executors(random.nextInt(executors.size))
    val commands = which match {
      case 0 => Some(standsStill(executor))
      case 1 => Some(standsStill(ProcessHandle.current.pid))
      case 2 => Some(isSlow(executor))
      case _ => None
    }
    commands.map(TestCluster.later)
  }

  /** As for a collection of garbage. */
  private def standsStill(pid: Long): String = {
    val (before, tenths) = (random.nextInt(10), 1 + random.nextInt(4))
    s"sleep 0.0$before; ${signal("STOP", pid)}; sleep 0.$tenths; ${signal("CONT", pid)}"
  }

  /** It runs for a fifth of the time. */
  private def isSlow(pid: Long): String = {
    val cycle = s"${signal("STOP", pid)}; sleep 0.04; ${signal("CONT", pid)}; sleep 0.01"
    s"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do $cycle; done"
  }

  /** Whatever becomes of the process: it may be one that is to end. */
  private def signal(name: String, pid: Long) = s"kill -$name $pid 2>/dev/null || true"
}

private[drizzle] object Disturbances {

  /** The processes of executors, by their ids, of those that start as well. */
  def executors: Set[Long] = ProcessHandle.current
    .children()
    .iterator
    .asScala
    .filter(p => p.isAlive && p.info.command.map[Boolean](_.endsWith("java")).orElse(false))
    .map(_.pid)
    .toSet
}
