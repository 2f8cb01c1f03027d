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

import org.apache.spark.scheduler.drizzle.ui.{Count, OperationTimes}

/** What users are told of the batches of DStreams, beside the counters. Keeps little, however many
  * batches there are. Safe for use by several threads.
  */
private[drizzle] final class BatchReport {
  import BatchReport._

  // All below is guarded by this.
  private var whole: Option[String] = None
  private val reasons = mutable.LinkedHashMap.empty[String, Long]
  private val recent = mutable.Queue.empty[OperationTimes]

  /** Batches are run one after the other. */
  def left(why: String): Unit = synchronized { whole = Some(why) }

  /** Why batches are run one after the other; empty if they need not be. */
  def whyLeft: Option[String] = synchronized(whole)

  /** An output operation waits for its turn.
    *
    * @return whether the reason is a new one, and there are not yet too many to be named
    */
  def waits(why: String): Boolean = synchronized {
    val isNamed = reasons.contains(why) || reasons.size < MostReasons
    val name = if (isNamed) why else Others
    val before = reasons.getOrElse(name, 0L)
    reasons(name) = before + 1
    isNamed && before == 0
  }

  /** How many output operations waited, by reason. */
  def waited: Seq[Count] = synchronized {
    reasons.iterator.map { case (why, count) => Count(why, count) }.toVector
  }

  /** An output operation has ended. */
  def ended(times: OperationTimes): Unit = synchronized {
    if (recent.size == MostRecent) {
      recent.dequeue()
    }
    recent.enqueue(times)
  }

  /** The last of those that have ended since this was asked before. */
  def takeEnded(): Seq[OperationTimes] = synchronized(recent.dequeueAll(_ => true).toVector)
}

private[drizzle] object BatchReport {

  /** What is beyond those that are named. */
  val Others = "other reasons"

  private[drizzle] val MostReasons = 20

  private[drizzle] val MostRecent = 100
}
