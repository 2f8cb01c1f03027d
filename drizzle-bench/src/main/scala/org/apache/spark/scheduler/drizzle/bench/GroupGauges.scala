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
package org.apache.spark.scheduler.drizzle.bench

import org.apache.spark.SparkContext

/** What Freshet's scheduler says of groups, in Spark's metrics system; its classes need not be there. */
object GroupGauges {

  /** How many batches may be under way at once, and the share of the executors' time that was lost lately though
    * batches were due; two empty words on stock Spark.
    */
  def of(sc: SparkContext): Seq[String] = {
    val gauges = sc.env.metricsSystem.getSourcesByName("drizzle").map(_.metricRegistry.getGauges)
    Seq("group.size", "group.lost").map { name =>
      gauges.headOption.flatMap(g => Option(g.get(name))).map(_.getValue.toString).getOrElse("")
    }
  }
}
