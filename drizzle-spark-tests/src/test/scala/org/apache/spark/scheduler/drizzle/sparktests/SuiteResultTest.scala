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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class SuiteResultTest {
  private val work = Contexts(1, 1, dispatched = 3, ahead = 1, left = 0)
  private val known = Expected("Suite", "a", Expected.Stock, "no network")

  @Test def aSuiteThatPassedWithFreshetAtWorkIsFine(): Unit =
    assertThat(result(Outcome("passed", "a")).complaints.isEmpty).isTrue

  @Test def aFailureThatNobodyExpectsIsAComplaint(): Unit =
    assertThat(result(Outcome("failed", "a")).complaints.head).isEqualTo("failed: a")

  @Test def aFailureThatStockHasTooIsExpected(): Unit = assertThat(
    result(Outcome("failed", "a")).copy(expected = Seq(known)).complaints.isEmpty
  ).isTrue

  @Test def whatIsSaidOfStockMustBeTrueOfStock(): Unit = assertThat(
    result(Outcome("passed", "a")).copy(isOn = false, expected = Seq(known)).complaints.size
  ).isEqualTo(1)

  @Test def whatFreshetChangesIsNoExcuseForStock(): Unit = assertThat(
    result(Outcome("failed", "a"))
      .copy(isOn = false, expected = Seq(known.copy(cause = Expected.Documented)))
      .complaints
      .size
  ).isEqualTo(1)

  @Test def aSuiteWithoutFreshetProvesNothing(): Unit = assertThat(
    result(Outcome("passed", "a"))
      .copy(contexts = work.copy(dispatched = 0))
      .complaints
      .head
  ).isEqualTo("Freshet was not at work")

  @Test def aSuiteThatStoppedHalfWayIsAComplaint(): Unit = assertThat(
    result(Outcome("passed", "a")).copy(outcomes = Seq(Outcome("passed", "a"))).complaints.head
  ).isEqualTo("it did not come to its end")

  @Test def aClusterHasAsManyCoresAsWereAskedFor(): Unit = {
    val masters =
      Seq("local", "local[1]", "local[2]", "local[4]", "local[3]", "local[2, 5]", "yarn")
    def clusters(most: Int) =
      masters.map(m => ClusterMaster.inCluster(m, most).fold(m)(_._1)).mkString(" ")
    assertThat(clusters(2)).isEqualTo(
      "local-cluster[1,1,1024] local-cluster[1,1,1024] local-cluster[2,1,1024] " +
        "local-cluster[2,2,1024] local-cluster[1,3,1024] local-cluster[2,1,1024] yarn"
    )
    assertThat(clusters(1)).isEqualTo(
      "local-cluster[1,1,1024] local-cluster[1,1,1024] local-cluster[1,2,1024] " +
        "local-cluster[1,4,1024] local-cluster[1,3,1024] local-cluster[1,2,1024] yarn"
    )
    assertThat(masters.flatMap(ClusterMaster.inCluster(_, 2)).map(_._2).mkString(" "))
      .isEqualTo("1 1 1 1 1 5")
  }

  private def result(outcome: Outcome): SuiteResult = SuiteResult(
    "Suite",
    Seq(outcome, Outcome(Outcome.End, "")),
    work,
    seconds = 1,
    inTime = true,
    isOn = true,
    expected = Nil
  )
}
