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
package org.apache.spark.scheduler.drizzle.ui

import org.apache.spark.scheduler.SparkListenerEvent

/** What Freshet's scheduler has done until now. Told to listeners about once a second while it changes, and
  * written into the event log, as JSON: later versions may add fields, with defaults, and must not
  * rename any.
  *
  * @param timeMs when, in milliseconds since 1970
  * @param left why nothing of the application is sent ahead; empty if something may be
  * @param counts the counters of [[org.apache.spark.scheduler.drizzle.DrizzleSource]], by name
  * @param unsent tasks that are to be sent, but for which there is no executor or not all of their inputs
  * @param groupSize how many batches may be under way at once
  * @param lost share of the executors' time that was lost lately though batches were due, from 0 to 1
  * @param leftToStock stages left to stock Spark, by reason
  * @param batchesLeft why batches are run one after the other; empty if they need not be
  * @param inTurn output operations that waited for their turn, by reason
  * @param slow executors that get fewer tasks now, since tasks take much longer there than on others
  * @param ended the last output operations that have ended since this was told before
  */
private[spark] final case class DrizzleProgress(
    timeMs: Long,
    left: Option[String] = None,
    counts: Seq[Count] = Seq.empty,
    unsent: Int = 0,
    groupSize: Int = 1,
    lost: Double = 0,
    leftToStock: Seq[Count] = Seq.empty,
    batchesLeft: Option[String] = None,
    inTurn: Seq[Count] = Seq.empty,
    slow: Int = 0,
    ended: Seq[OperationTimes] = Seq.empty
) extends SparkListenerEvent {

  /** Of a counter, by its name; 0 if it is not known. */
  def count(name: String): Long = counts.find(_.of == name).map(_.count).getOrElse(0)
}

/** How often something has happened. */
private[spark] final case class Count(of: String, count: Long)

/** Where the time of an output operation of a DStream went, in microseconds.
  *
  * @param batchMs the time of its batch, in milliseconds since 1970
  * @param operation its number in the batch
  * @param isEarly whether it began before those before it had ended
  * @param toBeginUs from when it was handed over until it began
  * @param ranUs what it did itself, with its jobs
  * @param forTurnUs how long it waited for those before it to end
  */
private[spark] final case class OperationTimes(
    batchMs: Long,
    operation: Int,
    isEarly: Boolean,
    toBeginUs: Long,
    ranUs: Long,
    forTurnUs: Long
) {
  def totalUs: Long = toBeginUs + ranUs + forTurnUs
}
