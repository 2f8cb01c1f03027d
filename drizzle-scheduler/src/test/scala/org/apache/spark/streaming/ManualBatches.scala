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

import java.util.concurrent.Semaphore

import scala.annotation.nowarn

import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.Private
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.scheduler.{ReceivedBlockTracker, ReceiverTracker}
import org.apache.spark.util.ManualClock

/** Lets a test say when batches of a streaming application are due.
  *
  * @param application not yet started, with all that it does declared. Its Spark has [[ManualBatches.settings]]
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[spark] final class ManualBatches(application: StreamingContext) {
  import ManualBatches._

  private val clock = application.scheduler.clock.asInstanceOf[ManualClock]
  private val made = new Semaphore(0)

  new Last(application, made).foreachRDD(_ => ())

  /** Has the next batches come, one after the other, as fast as they can be made. */
  def come(count: Int): Unit =
    clock.advance(count * application.graph.batchDuration.milliseconds)

  /** A permit for each batch of which all RDDs are there, whose input is decided by then. */
  def areMade: Semaphore = made

  /** How many records receivers have stored that no batch has got yet. */
  def received: Long = {
    val blocks = Private
      .field(classOf[ReceiverTracker], "receivedBlockTracker")
      .get(application.scheduler.receiverTracker)
      .asInstanceOf[ReceivedBlockTracker]
    application.graph
      .getReceiverInputStreams()
      .flatMap(stream => blocks.getUnallocatedBlocks(stream.id))
      .flatMap(_.numRecords)
      .sum
  }
}

@nowarn("cat=deprecation")
private[spark] object ManualBatches {
  val settings: Seq[(String, String)] =
    Seq("spark.streaming.clock" -> classOf[ManualClock].getName)

  /** Has nothing, and is asked for it when all else has been, since its output operation was declared last. */
  private final class Last(application: StreamingContext, @transient made: Semaphore)
      extends InputDStream[Int](application) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[Int]] = {
      made.release()
      None
    }
  }
}
