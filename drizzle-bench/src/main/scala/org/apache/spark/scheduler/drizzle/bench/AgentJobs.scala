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

import scala.collection.mutable

import org.apache.spark.TaskState
import org.apache.spark.scheduler.drizzle.{Ended, Forget, Launch, Outbox, StageWork, TaskWork}
import org.apache.spark.scheduler.drizzle.ToAgent
import org.apache.spark.storage.BlockManagerId

/** What all agents have been sent. A map task has ended when it arrives, a task that waits for maps when all of
  * those have. As an agent does, each tells of a job's last task at once, and of the others with it or
  * a few milliseconds later. Safe for use by several threads.
  *
  * @param at where a task's output is said to lie
  */
private[bench] final class AgentJobs(results: TaskResults, at: TaskWork => BlockManagerId) {

  // All below is guarded by this.
  private val ended = mutable.HashMap.empty[Int, mutable.BitSet]
  private val complete = mutable.HashSet.empty[Int]
  private val waiting = mutable.HashMap.empty[Int, Vector[() => Unit]]

  /** @param messages what an agent has been sent together
    * @param driver takes what that agent says
    */
  def handle(messages: Vector[ToAgent], driver: Outbox): Unit = synchronized {
    val stages = messages.collect { case Launch(stages) => stages }.flatten
    val left = mutable.HashMap.empty[Int, Int].withDefaultValue(0)
    stages.foreach(stage => left(stage.jobId) += stage.tasks.length)
    stages.foreach(stage => whenComplete(stage)(end(stage, left, driver)))
    messages.foreach {
      case Forget(shuffles) =>
        ended --= shuffles
        complete --= shuffles
      case _ => // Tasks have ended before anything could be done about them.
    }
  }

  private def whenComplete(stage: StageWork)(run: => Unit): Unit =
    stage.awaits.map(_.shuffleId).find(!complete(_)) match {
      case None => run
      case Some(shuffle) =>
        waiting(shuffle) =
          waiting.getOrElse(shuffle, Vector.empty) :+ (() => whenComplete(stage)(run))
    }

  /** @param left how many tasks of each job the agent still has */
  private def end(stage: StageWork, left: mutable.Map[Int, Int], driver: Outbox): Unit =
    stage.tasks.foreach { work =>
      left(stage.jobId) -= 1
      if (left(stage.jobId) == 0) driver.send(report(stage, work))
      else driver.sendLater(report(stage, work))
      stage.shuffleId.foreach(mapEnded(_, work.partitionId, stage.numPartitions))
    }

  private def mapEnded(shuffle: Int, map: Int, maps: Int): Unit = {
    val there = ended.getOrElseUpdate(shuffle, mutable.BitSet.empty)
    // A message may come twice.
    if (there.add(map) && there.size == maps) {
      complete += shuffle
      waiting.remove(shuffle).foreach(_.foreach(_()))
    }
  }

  private def report(stage: StageWork, work: TaskWork): Ended = {
    val metrics = stage.metricsTemplate
    val result =
      if (stage.shuffleId.isDefined) results.ofMap(work.taskId, at(work), metrics)
      else if (stage.isGroup) results.ofIterations(work.partitionId, metrics)
      else results.ofResult(work.partitionId, metrics)
    Ended(work.taskId, TaskState.FINISHED.id, 0, 0, result)
  }
}
