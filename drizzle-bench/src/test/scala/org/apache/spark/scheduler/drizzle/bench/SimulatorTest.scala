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

import java.util.concurrent.TimeUnit

import scala.util.Using

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

import org.apache.spark.scheduler.drizzle.{DrizzlePlugin, DrizzleSource}

/** Both schedulers on eight simulated executors. That every result comes once, from the right task, is required by
  * what runs the batches itself.
  */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SimulatorTest {
  private val executors = 8
  private val batches = 6
  private val mostMeasurements = 50

  @Test def stockSendsEachTaskInAMessageOfItsOwn(): Unit =
    Using.resource(start()) { simulator =>
      val all = Seq(Load.OneStage -> 20, Load.TwoStages -> (20 + TaskResults.Reducers))
      for ((kind, tasks) <- all) {
        val cost = SchedulingCost.measure(simulator, Load(executors, 20, kind, 3, batches))
        assertThat(cost.sent).isEqualTo(tasks.toDouble)
        // That it has begun, and that it has ended.
        assertThat(cost.received).isEqualTo(2.0 * tasks)
        assertThat(cost.bytes).isGreaterThan(1000.0 * tasks)
      }
    }

  @Test def freshetSendsStagesAheadAndAMessageToEachExecutor(): Unit =
    Using.resource(start("spark.plugins" -> classOf[DrizzlePlugin].getName)) { simulator =>
      for ((kind, stages) <- Seq(Load.OneStage -> 1, Load.TwoStages -> 2)) {
        val before = dispatched(simulator)
        val cost = SchedulingCost.measure(simulator, Load(executors, 100, kind, 1, batches))
        assertThat(dispatched(simulator) - before).isEqualTo(batches.toLong * stages)
        // Tasks, the answer to what became of them, and what need not be kept any more.
        assertThat(cost.sent).isBetween(2.0 * executors, 6.0 * executors)
      }
      assertThat(source(simulator).sentAhead.getCount).isEqualTo(batches.toLong)
      SchedulingCost.run(simulator.sc, Load(executors, 20, Load.TwoStages, 3, batches))
    }

  /** A stage alone has 2 kB, and each of its tasks 230 bytes, without skeletons. */
  @Test def whatDiffersFromABatchBeforeIsSent(): Unit =
    Using.resource(start("spark.plugins" -> classOf[DrizzlePlugin].getName)) { simulator =>
      val load = Load(executors, 100, Load.OneStage, 1, batches)
      // JVMs that have just started read classes, which counts as well, and what slow ones have to say takes more messages.
      val bytes = Iterator.fill(mostMeasurements)(SchedulingCost.measure(simulator, load).bytes)
      assertThat(bytes.exists(_ < 2000.0 * executors)).isTrue()
    }

  @Test def iterationsAreSentOnceForAGroup(): Unit =
    Using.resource(start("spark.plugins" -> classOf[DrizzlePlugin].getName)) { simulator =>
      val load = Load(executors, 20, Load.Iteration, batches, batches)
      val cost = SchedulingCost.measure(simulator, load)
      assertThat(dispatched(simulator)).isEqualTo(1)
      // Tasks, the answer to what became of them, and that the group has ended, for all batches together.
      assertThat(cost.sent * batches).isBetween(2.0 * executors, 6.0 * executors)
    }

  private def start(settings: (String, String)*): Simulator = {
    val classPath = sys.props.getOrElse("surefire.test.class.path", sys.props("java.class.path"))
    val simulator = new Simulator(classPath, settings: _*)
    simulator.grow(executors)
    simulator
  }

  private def dispatched(simulator: Simulator): Long = source(simulator).dispatched.getCount

  private def source(simulator: Simulator): DrizzleSource =
    simulator.sc.env.metricsSystem.getSourcesByName("drizzle").head.asInstanceOf[DrizzleSource]
}
