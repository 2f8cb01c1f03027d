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
package org.apache.spark.scheduler.drizzle.sparktests

import org.apache.spark.SparkConf
import org.apache.spark.internal.config.TASK_MAX_FAILURES

/** Lets suites that ask for a `local` master have a cluster of processes instead, with as many cores. */
private[sparktests] object ClusterMaster {

  /** Property that sets how many executors there are at most. */
  val MostExecutors = "freshet.spark.tests.executors"

  private val Local = """local(?:\[(\d+|\*)(?:\s*,\s*(\d+))?])?""".r

  /** Called by SparkConf, for itself. Confs that load no defaults get those of the run, too. */
  def chosen(conf: SparkConf, master: String): String = inCluster(master, most) match {
    case Some((cluster, failures)) =>
      sys.props.foreach { case (key, value) =>
        if (key.startsWith("spark.")) conf.setIfMissing(key, value)
      }
      conf.set(TASK_MAX_FAILURES, failures)
      cluster
    case None => master
  }

  private def most: Int = sys.props(MostExecutors).toInt

  /** Two executors if the cores can be divided by two, else one.
    *
    * @param mostExecutors one, or two
    * @return the cluster's master and how often a task may fail in it, if a local one was asked for
    */
  def inCluster(master: String, mostExecutors: Int): Option[(String, Int)] = master match {
    case Local(cores, failures) =>
      val slots = Option(cores).filter(_ != "*").fold(if (cores == null) 1 else 2)(_.toInt)
      val executors = if (slots % 2 == 0) mostExecutors else 1
      // Once, as in local mode.
      val mostFailures = Option(failures).fold(1)(_.toInt)
      Some((s"local-cluster[$executors,${slots / executors},1024]", mostFailures))
    case _ => None
  }
}
