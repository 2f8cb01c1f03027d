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

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.status.ElementTrackingStore

/** Keeps what the tab shows, of a running application or of one whose event log is read. Told of events
  * by one thread.
  */
private[spark] final class DrizzleListener(store: ElementTrackingStore) extends SparkListener {
  /*
   * However long an application runs, as many samples are kept, over all of its time: if there are too
   * many, every second one goes, and the next are taken half as often. Counters lose nothing by that,
   * since each sample has their sums.
   */
  import DrizzleListener._

  private val kept = mutable.ArrayBuffer.empty[DrizzleSample]
  private var everyMs = 0L
  private var samples = 0L
  private var operations = 0L

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case progress: DrizzleProgress =>
      progress.ended.foreach(keep)
      val state = progress.copy(ended = Seq.empty)
      store.write(new LatestProgress(state))
      if (kept.lastOption.forall(_.progress.timeMs + everyMs <= state.timeMs)) {
        keep(state)
      }
    case _ =>
  }

  private def keep(operation: OperationTimes): Unit = {
    store.write(new EndedOperation(operations, operation))
    if (operations >= MostOperations) {
      store.delete(classOf[EndedOperation], operations - MostOperations)
    }
    operations += 1
  }

  private def keep(progress: DrizzleProgress): Unit = {
    val sample = new DrizzleSample(samples, progress)
    samples += 1
    store.write(sample)
    kept += sample
    if (kept.size > MostSamples) {
      val (stay, go) = kept.toVector.zipWithIndex.partition(_._2 % 2 == 0)
      go.foreach { case (dropped, _) => store.delete(classOf[DrizzleSample], dropped.id) }
      kept.clear()
      kept ++= stay.map(_._1)
      everyMs = (kept.last.progress.timeMs - kept.head.progress.timeMs) / kept.size
    }
  }
}

private[spark] object DrizzleListener {
  val MostSamples = 500

  val MostOperations = 500
}
