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
package org.freshet.drizzle.bench

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.scheduler.drizzle.DrizzlePlugin

/** Where applications are tried. */
private[bench] object BenchCluster {

  /** On a standalone master with two workers, whose executors are processes, and with the plug-in. */
  def start(application: String, settings: (String, String)*): SparkContext = new SparkContext(
    new SparkConf(false)
      .setMaster("local-cluster[2,1,1024]")
      .setAppName(application)
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
      .set(
        "spark.executor.extraClassPath",
        sys.props.getOrElse("surefire.test.class.path", sys.props("java.class.path"))
      )
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
      .setAll(settings)
  )
}
