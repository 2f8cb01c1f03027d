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

import org.apache.spark.SparkConf

/** How many batches may be under way at once, or how many iterations a group has, found by additive decrease and
  * multiplicative increase: twice as many if too much time is lost to scheduling, one less if little is.
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, section
  * 3.4. There, a group is scheduled before its data is there, and the driver's share of a group's time is
  * measured. So it is with iterations here. Batches begin when their data is there, so what is lost is what
  * executors stand idle though a batch is due.
  *
  * For one thread at a time.
  *
  * @param most the largest size
  * @param lower share of the time, below which the size shrinks, from 0 to 1
  * @param upper above which it grows
  * @param fixed the size, if it is not to be found
  */
private[drizzle] final class GroupSize(
    most: Int,
    lower: Double,
    upper: Double,
    fixed: Option[Int] = None
) {
  require(most >= 1, s"The largest group has a size of $most, at least 1 is expected")
  require(
    0 <= lower && lower <= upper && upper <= 1,
    s"The bounds of what may be lost are $lower and $upper; 0 <= lower <= upper <= 1 is expected"
  )

  private var size = fixed.getOrElse(1)
  private var average = Double.NaN

  def now: Int = size

  /** What is lost, on average of the last measurements. */
  def lost: Double = if (average.isNaN) 0 else average

  /** Batches have ended.
    *
    * @param share of the executors' time since the last measurement that was lost
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

  /** A group has ended, of all that are one after the other. What smaller ones have lost before does not make the size
    * grow once a group loses little enough.
    *
    * @param share of its time that was lost
    */
  def ended(share: Double): Unit = measured(share, isFull = share > upper)
}

private[drizzle] object GroupSize {

  /** With an application's bounds. */
  def of(conf: SparkConf, fixed: Option[Int]): GroupSize = new GroupSize(
    conf.get(DrizzleKeys.MostBatches),
    conf.get(DrizzleKeys.LostAtLeast),
    conf.get(DrizzleKeys.LostAtMost),
    fixed
  )

  /** Of a new measurement. */
  private val Weight = 0.3
}
