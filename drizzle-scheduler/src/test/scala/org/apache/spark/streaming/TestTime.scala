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

import scala.annotation.nowarn

import org.apache.spark.util.ManualClock

/** The time of streaming applications, as a test has it. */
@nowarn("cat=deprecation") // DStreams are what many have.
private[spark] object TestTime {

  /** What an application's configuration must have. */
  val setting: (String, String) = "spark.streaming.clock" -> classOf[ManualClock].getName

  /** What is due by then is generated at once. */
  def passes(streaming: StreamingContext, time: Duration): Unit =
    streaming.scheduler.clock match {
      case clock: ManualClock => clock.advance(time.milliseconds)
      case other              => throw new IllegalStateException(s"$other goes by itself")
    }
}
