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

import scala.util.Random

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.rpc.RpcAddress
import org.apache.spark.scheduler.{HDFSCacheTaskLocation, TaskLocation}

class PlacementTest {

  /** The oracle looks at all executors for each task. */
  @Test def aTaskGoesToTheExecutorWithLeastToDoOfThoseItPrefers(): Unit =
    for (seed <- 1 to 200) {
      val random = new Random(seed)
      val agents = Vector.tabulate(1 + random.nextInt(20)) { i =>
        val agent = new AgentHandle(
          s"$i",
          s"h${i / 3}",
          RpcAddress("h", 1),
          Some(1 + i % 4),
          null,
          null,
          new Slowness(() => 0L)
        )
        agent.load = random.nextInt(10)
        agent.slowness.assume(1.0 + random.nextInt(4))
        agent
      }
      val powers = agents.map(agent => agent -> agent.power).toMap
      var added = agents.map(agent => agent -> 0).toMap
      val placement = new Placement(agents)
      for (_ <- 0 until 100) {
        val preferred = Seq.fill(random.nextInt(3)) {
          val executor = random.nextInt(25)
          if (random.nextBoolean()) TaskLocation(s"h${executor / 3}", s"$executor")
          else TaskLocation(s"h${executor / 3}")
        }
        val excluded = Seq.fill(random.nextInt(4))(s"${random.nextInt(20)}").toSet
        val allowed = agents.filterNot(agent => excluded(agent.executorId))
        val onExecutor = allowed.filter(a => preferred.contains(TaskLocation(a.host, a.executorId)))
        val onHost = allowed.filter(a => preferred.map(_.host).contains(a.host))
        val expected = Seq(onExecutor, onHost, allowed)
          .find(_.nonEmpty)
          .map(_.min(Ordering.fromLessThan[AgentHandle] { (a, b) =>
            def load(agent: AgentHandle) = (agent.load + added(agent) + 1) / powers(agent)
            Ordering[(Double, Int, String)].lt(
              (load(a), added(a), a.executorId),
              (load(b), added(b), b.executorId)
            )
          }))
        val chosen = placement.place(preferred, agent => !excluded(agent.executorId))
        assertThat(chosen.map(_.executorId)).as(s"seed $seed").isEqualTo(expected.map(_.executorId))
        chosen.foreach(agent => added = added.updated(agent, added(agent) + 1))
      }
    }

  @Test def ofTwoWithAsMuchToDoTheOneThatHasLongHadItGetsTheNext(): Unit = {
    val agents = Vector("1", "2").map { id =>
      new AgentHandle(id, "h", RpcAddress("h", 1), Some(1), null, null)
    }
    agents(1).load = 1
    val placement = new Placement(agents)
    val chosen = Vector.fill(3)(placement.place(Seq.empty, _ => true).get.executorId)
    assertThat(chosen.mkString(" ")).isEqualTo("1 2 1")
  }

  @Test def anExecutorIsAsNearAsTheNearestOfWhatATaskPrefers(): Unit = {
    val agent = new AgentHandle("1", "h1", RpcAddress("h1", 1), Some(1), null, null)
    val racks = Map("h1" -> "left", "h2" -> "left", "h3" -> "right")
    def locality(preferred: TaskLocation*) =
      Placement.locality(preferred, agent, racks.get).toString

    assertThat(locality()).isEqualTo("PROCESS_LOCAL")
    assertThat(locality(TaskLocation("h1", "1"))).isEqualTo("PROCESS_LOCAL")
    assertThat(locality(HDFSCacheTaskLocation("h1"))).isEqualTo("PROCESS_LOCAL")
    assertThat(locality(TaskLocation("h1", "2"))).isEqualTo("NODE_LOCAL")
    assertThat(locality(TaskLocation("h3"), TaskLocation("h1"))).isEqualTo("NODE_LOCAL")
    assertThat(locality(TaskLocation("h3"), TaskLocation("h2"))).isEqualTo("RACK_LOCAL")
    assertThat(locality(TaskLocation("h3", "3"))).isEqualTo("ANY")
    assertThat(locality(HDFSCacheTaskLocation("unknown"))).isEqualTo("ANY")
    assertThat(Placement.locality(Seq(TaskLocation("h2")), agent, _ => None).toString)
      .isEqualTo("ANY")
  }
}
