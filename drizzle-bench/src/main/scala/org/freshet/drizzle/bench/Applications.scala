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

import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit

import org.apache.spark.{SparkConf, SparkContext, SparkEnv}

/** What the applications have in common. */
private[bench] object Applications {

  /** Starts one and waits for two executors. */
  def start(name: String): SparkContext = {
    val sc = new SparkContext(new SparkConf().setAppName(name))
    awaitExecutors(sc)
    sc
  }

  /** Waits for two executors. */
  def awaitExecutors(sc: SparkContext): Unit = {
    val deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3)
    // The driver is among them.
    while (sc.statusTracker.getExecutorInfos.length < Executors + 1) {
      // Listeners hear of an executor before the tracker knows it, so there is no event to await.
      require(
        System.nanoTime() < deadline,
        s"There are no $Executors executors after three minutes"
      )
      Thread.sleep(50)
    }
  }

  /** Runs something again and again, until the JVMs have compiled what it needs. In between they may
    * compile undisturbed: on few cores they would go on for minutes. That a compiler rests is no event
    * either; it is asked for how long it has worked.
    */
  def warmUp(sc: SparkContext)(run: => Unit): Unit = {
    var before = 0L
    var compiledMs = Long.MaxValue
    val most = TimeUnit.SECONDS.toNanos(warmUpSeconds(sc))
    val begin = System.nanoTime()
    def isTimeLeft = System.nanoTime() - begin < most
    while (compiledMs > WarmMs && isTimeLeft) {
      run
      var now = compilationMs(sc)
      var last = 0L
      while (now - last > CompilersRestMs && isTimeLeft) {
        Thread.sleep(500)
        last = now
        now = compilationMs(sc)
      }
      compiledMs = now - before
      before = now
    }
  }

  /** Runs something again and again, for a part of a minute at least and until that takes as long as before. JVMs whose
    * compilers rested find more to compile in what they then do all the time, for thousands of batches: with all ways
    * alike, some get there by the number of batches and some by time. Without a warm-up, nothing is run.
    *
    * @param part of the minute
    */
  def settle(sc: SparkContext, part: Double)(run: => Unit): Unit = if (warmUpSeconds(sc) > 0) {
    val begin = System.nanoTime()
    def time(): Long = {
      val from = System.nanoTime()
      run
      System.nanoTime() - from
    }
    def passed = System.nanoTime() - begin
    var before = time()
    var now = time()
    while (
      passed < LeastToSettle * part || (now < before * Settled && passed < MostToSettle * part)
    ) {
      before = now
      now = time()
    }
  }

  private def warmUpSeconds(sc: SparkContext): Long =
    sc.getConf.getTimeAsSeconds(WarmUpKey, "4m")

  /** How long all JVMs have compiled. */
  private def compilationMs(sc: SparkContext): Long = {
    val ofExecutors = sc
      .parallelize(0 until 4 * Executors, 4 * Executors)
      .map(_ =>
        (SparkEnv.get.executorId, ManagementFactory.getCompilationMXBean.getTotalCompilationTime)
      )
      .collect()
      .toMap
    ManagementFactory.getCompilationMXBean.getTotalCompilationTime + ofExecutors.values.sum
  }

  private val Executors = 2

  /** In what compilers do in half a second when they rest. */
  private val CompilersRestMs = 100L

  /** What is left to compile then is not worth another run. */
  private val WarmMs = 2000L

  /** What takes at least this part of the time before takes as long. */
  private val Settled = 0.97
  private val LeastToSettle = TimeUnit.MINUTES.toNanos(1)
  private val MostToSettle = TimeUnit.MINUTES.toNanos(2)

  /** The longest warm-up; figures without one are worth nothing. */
  private val WarmUpKey = "spark.freshet.bench.warmUp"
}
