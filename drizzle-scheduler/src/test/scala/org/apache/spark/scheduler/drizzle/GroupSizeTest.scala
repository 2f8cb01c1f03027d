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

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

class GroupSizeTest {

  @Test
  def aSizeThatIsGivenStaysWhatIsLostIsMeasured(): Unit = {
    val size = new GroupSize(10, 0.05, 0.1, fixed = Some(20))
    (1 to 20).foreach(_ => size.measured(0.5, isFull = true))
    assertThat(size.now).isEqualTo(20)
    assertThat(size.lost).isEqualTo(0.5)
    (1 to 20).foreach(_ => size.measured(0, isFull = false))
    assertThat(size.now).isEqualTo(20)
  }

  @Test
  def growsTwofoldWhileMuchIsLostAndBatchesWait(): Unit = {
    val size = new GroupSize(10, 0.05, 0.1)
    val sizes = (1 to 6).map { _ =>
      size.measured(0.9, isFull = true)
      size.now
    }
    assertThat(sizes).isEqualTo(Seq(2, 4, 8, 10, 10, 10))
  }

  @Test
  def doesNotGrowWhenNoBatchWaits(): Unit = {
    val size = new GroupSize(10, 0.05, 0.1)
    size.measured(0.9, isFull = false)
    assertThat(size.now).isEqualTo(1)
  }

  @Test
  def shrinksByOneWhenLittleIsLostOnAverage(): Unit = {
    val size = new GroupSize(10, 0.05, 0.1)
    (1 to 4).foreach(_ => size.measured(0.5, isFull = true))
    size.measured(0, isFull = true)
    assertThat(size.now).as("One measurement is not enough").isEqualTo(10)
    // 0.35, 0.245, 0.17, 0.12, 0.08 and 0.06 are lost on average, then less than 0.05.
    (1 to 5).foreach(_ => size.measured(0, isFull = true))
    assertThat(size.now).isEqualTo(10)
    size.measured(0, isFull = true)
    assertThat(size.now).isEqualTo(9)
    (1 to 20).foreach(_ => size.measured(0, isFull = true))
    assertThat(size.now).isEqualTo(1)
  }

  /** The driver takes four times as long for a group as executors for an iteration. */
  @Test
  def iterationsGrowUntilWhatIsLostIsWithinTheBounds(): Unit = {
    val size = new GroupSize(100, 0.05, 0.1)
    val sizes = (1 to 50).map { _ =>
      size.ended(4.0 / (4 + size.now))
      size.now
    }
    assertThat(sizes.take(6)).isEqualTo(Seq(2, 4, 8, 16, 32, 64))
    assertThat(sizes.drop(6).toSet).isEqualTo(Set(64))
    assertThat(size.lost).isBetween(0.05, 0.1)
  }

  @Test
  def iterationsShrinkWhenTheyTakeLonger(): Unit = {
    val size = new GroupSize(100, 0.05, 0.1)
    def run(groups: Int, ofIteration: Double): Unit =
      (1 to groups).foreach(_ => size.ended(4.0 / (4 + size.now * ofIteration)))
    run(10, 1)
    assertThat(size.now).isEqualTo(64)
    run(200, 20)
    // 4 of 84 are lost at a size of 4, 4 of 64 at one of 3, and 4 of 44 at one of 2.
    assertThat(size.now).isBetween(2, 3)
    assertThat(size.lost).isBetween(0.05, 0.1)
  }

  @Test
  def whatSmallerGroupsHaveLostDoesNotMakeLargerOnesGrow(): Unit = {
    val size = new GroupSize(100, 0.05, 0.1)
    size.ended(0.9)
    assertThat(size.now).isEqualTo(2)
    size.ended(0.08)
    assertThat(size.lost).isGreaterThan(0.1)
    assertThat(size.now).isEqualTo(2)
  }

  @Test
  def oneGroupThatLosesMuchDoesNotMakeIterationsGrow(): Unit = {
    val size = new GroupSize(100, 0.05, 0.1)
    (1 to 5).foreach(_ => size.ended(0.06))
    size.ended(0.15)
    assertThat(size.now).isEqualTo(1)
    size.ended(0.15)
    assertThat(size.now).isEqualTo(2)
  }

  @Test
  def refusesBoundsThatHaveNoMeaning(): Unit = {
    assertThatThrownBy(() => new GroupSize(0, 0.05, 0.1)).hasMessageContaining("size of 0")
    assertThatThrownBy(() => new GroupSize(1, 0.2, 0.1)).hasMessageContaining("0.2 and 0.1")
  }
}
