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

import org.apache.spark.status.KVUtils
import org.apache.spark.status.KVUtils.KVIndexParam
import org.apache.spark.util.kvstore.KVStore

/** What [[DrizzleListener]] has kept of an application. Safe for use by several threads. */
private[spark] final class DrizzleStore(store: KVStore) {

  /** What is known last; empty if the plug-in has said nothing. */
  def latest: Option[DrizzleProgress] =
    KVUtils.viewToSeq(store.view(classOf[LatestProgress])).headOption.map(_.progress)

  /** Some of what was known before, in order of time. */
  def samples: Seq[DrizzleProgress] =
    KVUtils.viewToSeq(store.view(classOf[DrizzleSample])).map(_.progress)

  /** The output operations that ended last, in the order of their ends. */
  def operations: Seq[OperationTimes] =
    KVUtils.viewToSeq(store.view(classOf[EndedOperation])).map(_.times)
}

/** There is one in a store. */
private[spark] final class LatestProgress(val progress: DrizzleProgress) {
  @KVIndexParam val id: String = "latest"
}

private[spark] final class DrizzleSample(@KVIndexParam val id: Long, val progress: DrizzleProgress)

private[spark] final class EndedOperation(@KVIndexParam val id: Long, val times: OperationTimes)
