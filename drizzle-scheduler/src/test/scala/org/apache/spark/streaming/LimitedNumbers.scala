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

import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.nowarn

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.scheduler.RateController
import org.apache.spark.streaming.scheduler.rate.RateEstimator

/** Numbers from 0 on, as many for each batch as the rate allows that is estimated from those before; of which there is
  * always enough.
  *
  * @param atFirst how many a batch has until there is a rate
  */
@nowarn("cat=deprecation") // DStreams are what many have.
final class LimitedNumbers(streaming: StreamingContext, atFirst: Int)
    extends InputDStream[Long](streaming) {

  /** How many each batch had. */
  @transient lazy val sizes = new ConcurrentLinkedQueue[Long]

  private var next = 0L

  override protected[streaming] val rateController: Option[RateController] = Some(
    new RateController(id, RateEstimator.create(streaming.conf, slideDuration)) {
      override protected def publish(rate: Long): Unit = ()
    }
  )

  override def start(): Unit = ()

  override def stop(): Unit = ()

  override def compute(time: Time): Option[RDD[Long]] = {
    val rate = rateController.get.getLatestRate()
    val size = if (rate < 0) atFirst.toLong else rate * slideDuration.milliseconds / 1000
    sizes.add(size)
    val begin = next
    next += size
    val info = scheduler.StreamInputInfo(id, size)
    context.scheduler.inputInfoTracker.reportInfo(time, info)
    Some(context.sparkContext.range(begin, next, 1, 4))
  }
}
