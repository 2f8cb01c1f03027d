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

import scala.collection.mutable

import org.apache.spark.scheduler.{ExecutorCacheTaskLocation, HDFSCacheTaskLocation}
import org.apache.spark.scheduler.{TaskLocality, TaskLocation}

/** Which executor each task goes to. For one thread, and one decision over several task sets.
  *
  * What a task costs does not grow with the executors, but with their logarithm: those with least to do are
  * at the front of a queue. One that has got a task since it was queued is put back when its turn comes.
  */
private[drizzle] final class Placement(agents: Seq[AgentHandle]) {
  require(agents.nonEmpty, "There is no executor")

  private val candidates = agents.map(new Placement.Candidate(_))
  private lazy val byExecutor = candidates.map(c => c.agent.executorId -> c).toMap
  private lazy val byHost = candidates.groupBy(_.agent.host)
  private val queue =
    mutable.PriorityQueue.from(candidates.map(_.turn))(Placement.LeastFirst)

  /** An executor that the task prefers, if there is one, and of those the one with least to do.
    *
    * @param isAllowed whether the task may run on an executor
    * @return empty if it may run on none
    */
  def place(
      preferred: Seq[TaskLocation],
      isAllowed: AgentHandle => Boolean
  ): Option[AgentHandle] = {
    def least(of: Seq[Placement.Candidate]) =
      of.filter(c => isAllowed(c.agent)).map(_.turn).maxOption(Placement.LeastFirst)
    def onExecutor = least(preferred.collect { case l: ExecutorCacheTaskLocation =>
      byExecutor.get(l.executorId)
    }.flatten)
    def onHost = least(preferred.map(_.host).distinct.flatMap(byHost.getOrElse(_, Seq.empty)))
    val near = if (preferred.isEmpty) None else onExecutor.orElse(onHost)
    near.map(_.candidate).orElse(leastOfAll(isAllowed)).map { chosen =>
      chosen.added += 1
      chosen.agent
    }
  }

  /** For tasks that exchange something, as neighbours first: those that prefer no executor that there is go to
    * each executor in one piece, as many as are its share of all cores.
    */
  def placeTogether(preferred: Seq[Seq[TaskLocation]]): Seq[AgentHandle] = {
    val hosts = byHost.keySet
    def isNear(location: TaskLocation) = location match {
      case cached: ExecutorCacheTaskLocation => byExecutor.contains(cached.executorId)
      case other                             => hosts(other.host)
    }
    val slots = agents.flatMap(agent => Seq.fill(agent.cores)(agent)).toIndexedSeq
    val free = preferred.count(!_.exists(isNear))
    var spread = 0
    preferred.map { locations =>
      if (locations.exists(isNear)) {
        place(locations.filter(isNear), _ => true).get
      } else {
        spread += 1
        slots(((spread - 1).toLong * slots.size / free).toInt)
      }
    }
  }

  private def leastOfAll(isAllowed: AgentHandle => Boolean): Option[Placement.Candidate] = {
    val passed = mutable.ArrayBuffer.empty[Placement.Turn]
    var chosen = Option.empty[Placement.Candidate]
    while (chosen.isEmpty && queue.nonEmpty) {
      val turn = queue.dequeue()
      val now = turn.candidate.turn
      if (now.load != turn.load) {
        queue += now
      } else {
        passed += now
        chosen = Some(now.candidate).filter(c => isAllowed(c.agent))
      }
    }
    queue ++= passed
    chosen
  }
}

private[drizzle] object Placement {

  /** How near an executor is to what a task prefers, as stock calls it: a task that prefers nothing is near
    * everywhere, and what HDFS keeps in a host's memory is near all executors there.
    *
    * @param rackOf of a host, if it is known
    */
  def locality(
      preferred: Seq[TaskLocation],
      agent: AgentHandle,
      rackOf: String => Option[String]
  ): TaskLocality.TaskLocality = {
    lazy val rack = rackOf(agent.host)
    def isInProcess = preferred.exists {
      case cached: ExecutorCacheTaskLocation => cached.executorId == agent.executorId
      case cached: HDFSCacheTaskLocation     => cached.host == agent.host
      case _                                 => false
    }
    def isInRack = preferred.exists(location => rack.isDefined && rackOf(location.host) == rack)
    if (preferred.isEmpty || isInProcess) TaskLocality.PROCESS_LOCAL
    else if (preferred.exists(_.host == agent.host)) TaskLocality.NODE_LOCAL
    else if (isInRack) TaskLocality.RACK_LOCAL
    else TaskLocality.ANY
  }

  private final class Candidate(val agent: AgentHandle) {
    private val power = agent.power

    /** How many tasks it had before this decision. */
    private val before = agent.load + agent.ofStock

    /** How many this decision has given it. */
    var added = 0

    /** With one task more. */
    def load: Double = (before + added + 1) / power

    def turn: Turn = new Turn(this, load, added)
  }

  /** As it was when it was made. */
  private final class Turn(val candidate: Candidate, val load: Double, val added: Int)

  /** What comes first is the greatest. Of executors that have as much to do, one that has long had it is likely to
    * end sooner than one that was given it just now.
    */
  private val LeastFirst: Ordering[Turn] = (a, b) => {
    val byLoad = java.lang.Double.compare(b.load, a.load)
    val byAdded = Integer.compare(b.added, a.added)
    if (byLoad != 0) byLoad
    else if (byAdded != 0) byAdded
    else b.candidate.agent.executorId.compareTo(a.candidate.agent.executorId)
  }
}
