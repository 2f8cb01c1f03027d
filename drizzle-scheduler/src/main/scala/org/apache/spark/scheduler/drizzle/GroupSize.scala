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

/** How many batches may be under way at once, found by additive decrease and multiplicative increase:
  * twice as many if too much of the executors' time is lost to scheduling, one less if little is.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section
  * 3.4. There, a group is scheduled before its data is there, and the driver's share of a group's time is
  * measured. Here batches begin when their data is there, so what is lost is what executors stand
  * idle though a batch is due.
  *
  * For one thread at a time.
  *
  * @param most the largest size
  * @param lower of the executors' time, below which the size shrinks, from 0 to 1
  * @param upper above which it grows
  * @param fixed the size, if it is not to be found
  */
private[drizzle] final class GroupSize(
    most: Int,
    lower: Double,
    upper: Double,
    fixed: Option[Int] = None
) {
  require(most >= 1, s"The largest group has $most batches, at least 1 is expected")
  require(
    0 <= lower && lower <= upper && upper <= 1,
    s"The bounds of what may be lost are $lower and $upper; 0 <= lower <= upper <= 1 is expected"
  )

  private var size = fixed.getOrElse(1)
  private var average = Double.NaN

  def now: Int = size

  /** What is lost, on average of the last measurements. */
  def lost: Double = if (average.isNaN) 0 else average

  /** @param share of the executors' time since the last measurement that was lost
    * @param isFull whether batches wait for others to end, because there are as many as the size says
    */
  def measured(share: Double, isFull: Boolean): Unit = {
    average =
      if (average.isNaN) share else GroupSize.Weight * share + (1 - GroupSize.Weight) * average
    // What is lost is measured in any case, for those who look at it.
    if (fixed.isEmpty) {
      if (average > upper) {
        if (isFull) {
          size = math.min(most, 2 * size)
        }
      } else if (average < lower) {
        size = math.max(1, size - 1)
      }
    }
  }
}

private[drizzle] object GroupSize {

  /** Of a new measurement. */
  private val Weight = 0.3
}
