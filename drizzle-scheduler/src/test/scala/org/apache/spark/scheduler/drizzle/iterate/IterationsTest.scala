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
package org.apache.spark.scheduler.drizzle.iterate

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.drizzle.TestCluster
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.iterate.{DenseVariable, Iterations}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}

/** Iterations over executors that are processes; the oracle runs them one after the other. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IterationsTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  @Test
  def aGroupIsOneJobWithATaskForEachPartition(): Unit = {
    val events = TestCluster.events(sc)
    val sum = new DenseVariable("sum", Array(0.1, 0.2))
    val result = Iterations.iterate(sc.parallelize(1 to 100, 4), 10, 4, Seq(sum)) {
      (iteration, rows, shared) =>
        val now = shared.get(sum)
        shared.update(sum, Array(rows.sum * 0.01, now(0) * iteration))
    }
    var expected = Array(0.1, 0.2)
    for (iteration <- 1 to 10) {
      val parts = (1 to 100).grouped(25).map(_.sum * 0.01).toVector
      val grown = expected(0) * iteration
      expected = Array(
        expected(0) + ((parts(0) + parts(1)) + (parts(2) + parts(3))),
        expected(1) + ((grown + grown) + (grown + grown))
      )
    }
    assertThat(result(sum)).isEqualTo(expected)
    assertThat(result.iterations).isEqualTo(10)
    val jobs = events.seen.collect { case e: org.apache.spark.scheduler.SparkListenerJobStart => e }
    assertThat(jobs.map(_.stageInfos.map(_.numTasks))).isEqualTo(Seq.fill(3)(Seq(4)))
  }

  /** `-Dfreshet.drizzle.iterations=N` for more of them. */
  @Test
  @Timeout(1200)
  def randomIterationsComputeWhatASequentialRunDoes(): Unit = {
    val programs = Integer.getInteger("freshet.drizzle.iterations", 60).intValue
    (1 to programs).foreach(seed => new RandomIterations(seed.toLong).check(sc))
  }
}
