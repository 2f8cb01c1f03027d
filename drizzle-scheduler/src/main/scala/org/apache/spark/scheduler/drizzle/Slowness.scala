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

import java.util.concurrent.TimeUnit

import scala.collection.mutable

/** How many times as long as elsewhere tasks take on an executor: in a JVM that has just started, or on a busy or
  * slow host. With stock Spark such an executor gets fewer tasks because it asks for fewer; here tasks are bound when
  * they are sent. What is known fades, so that the executor gets some again and shows how it does by now. Guarded by
  * the dispatcher.
  *
  * @param nanoTime the time
  */
private[drizzle] final class Slowness(nanoTime: () => Long = () => System.nanoTime()) {
  import Slowness._

  private var known = 1.0
  private var sinceNs = 0L

  private def now: Double =
    if (known == 1.0) known
    else 1 + (known - 1) * math.pow(0.5, (nanoTime() - sinceNs).toDouble / HalfLifeNs)

  /** 1 where it makes no difference that tells. */
  def factor: Double = {
    val factor = now
    if (factor < Notable) 1.0 else factor
  }

  /** It is taken to be so slow until it shows how it does. */
  def assume(factor: Double): Unit = {
    known = factor
    sinceNs = nanoTime()
  }

  private def heard(factor: Double): Unit =
    assume(now + Weight * (math.max(1.0, math.min(factor, Greatest)) - now))
}

private[drizzle] object Slowness {
  private val HalfLifeNs = TimeUnit.SECONDS.toNanos(1)
  private val Notable = 2.0

  /** Together these mean that one task set tells nothing, however long its tasks were somewhere. */
  private val Greatest = 6.0
  private val Weight = 0.15

  /** Of an executor with a JVM that is still cold, whatever it has rehearsed: the application's classes are new. */
  val OfNewcomer = 3.0

  /** Added to how long a task took, in milliseconds, so that those that took next to nothing tell nothing. */
  private val UnnotedMs = 2.0

  /** If tasks are longer, in milliseconds, how many elements they have tells more than where they run. And those
    * that wait are moved before one has ended.
    */
  private val ShortMs = 200.0

  /** How long the tasks of a task set took, by executor. */
  final class Times {
    private final class Total(var tasks: Int, var ms: Double)

    private val byAgent = mutable.LinkedHashMap.empty[AgentHandle, Total]

    def add(agent: AgentHandle, durationMs: Long): Unit = {
      val total = byAgent.getOrElseUpdate(agent, new Total(0, 0))
      total.tasks += 1
      total.ms += durationMs + UnnotedMs
    }

    /** Compares each executor with the others, and tells it. */
    def learn(): Unit = if (byAgent.size > 1) {
      val tasks = byAgent.valuesIterator.map(_.tasks).sum
      val ms = byAgent.valuesIterator.map(_.ms).sum
      for ((agent, own) <- byAgent) {
        val othersMs = (ms - own.ms) / (tasks - own.tasks)
        if (othersMs < ShortMs) {
          agent.slowness.heard(own.ms / own.tasks / othersMs)
        }
      }
    }
  }
}
