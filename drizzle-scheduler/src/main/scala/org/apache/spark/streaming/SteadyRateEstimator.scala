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
package org.apache.spark.streaming

import org.apache.spark.streaming.scheduler.rate.RateEstimator

/** Estimates by several batches at a time what others estimate by each: of batches under way at once, one may be done as
  * soon as its turn comes, and would be taken for one that needs no time. Together they have been processed for as long as
  * something was to be done. Is written to checkpoints as the one that it stands in front of.
  *
  * Not safe for use by several threads; Spark uses it from one.
  *
  * @param of is asked when batches have been processed for an interval, or when there are enough of them
  * @param intervalMs of batches, in milliseconds
  * @param queuedMs for how long the last batch waited until it began, in milliseconds. What Spark knows contains the time in
  *   which it was under way with others.
  */
private[streaming] final class SteadyRateEstimator(
    of: RateEstimator,
    intervalMs: Long,
    queuedMs: () => Long
) extends RateEstimator {
  private var batches = 0
  private var elements = 0L
  private var processedMs = 0L

  override def compute(
      time: Long,
      elementsOfBatch: Long,
      processingDelay: Long,
      schedulingDelay: Long
  ): Option[Double] = {
    batches += 1
    elements += elementsOfBatch
    processedMs += processingDelay
    if (processedMs >= intervalMs || batches == SteadyRateEstimator.MostBatches) {
      val rate = of.compute(time, elements, processedMs, math.min(schedulingDelay, queuedMs()))
      batches = 0
      elements = 0
      processedMs = 0
      rate
    } else {
      None
    }
  }

  // A checkpoint may be read where there is no Freshet.
  private def writeReplace(): AnyRef = of
}

private object SteadyRateEstimator {

  /** So many tell enough also where an interval is long beside what a batch takes. */
  private val MostBatches = 5
}
