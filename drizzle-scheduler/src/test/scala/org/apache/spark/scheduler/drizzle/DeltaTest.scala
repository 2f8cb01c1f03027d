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

import scala.util.{Random, Try}

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

/** What differs, put into what was before, gives what is now. */
final class DeltaTest {

  @Test
  def whatDiffersAppliedGivesWhatIsNow(): Unit = for (seed <- 0 until 3000) {
    val random = new Random(seed)
    val before = random.nextBytes(random.nextInt(400))
    val now = before.clone()
    for (_ <- 0 until random.nextInt(8) if now.nonEmpty) {
      val at = random.nextInt(now.length)
      for (i <- at until math.min(now.length, at + random.nextInt(20)) if random.nextInt(3) > 0)
        now(i) = random.nextInt().toByte
    }
    Delta.of(before, now).foreach { delta =>
      assertThat(Delta.applied(before, delta)).isEqualTo(now)
      assertThat(delta.length).isLessThanOrEqualTo(now.length / 2)
    }
    val differing = before.zip(now).count { case (a, b) => a != b }
    // A piece of one byte takes three, or four.
    val isWorthIt = differing * 4 < now.length / 2
    assertThat(!isWorthIt || Delta.of(before, now).isDefined).isTrue
  }

  @Test
  def ofEqualBytesItIsEmpty(): Unit = for (length <- Seq(0, 1, 5, 1000)) {
    val bytes = new Random(length).nextBytes(length)
    assertThat(Delta.of(bytes, bytes.clone()).get).isEmpty()
    assertThat(Delta.applied(bytes, Array.emptyByteArray)).isEqualTo(bytes)
  }

  @Test
  def thereIsNoneBetweenLengthsOrIfMostDiffers(): Unit = {
    assertThat(Delta.of(new Array(3), new Array(4)).isDefined).isFalse
    assertThat(Delta.of(new Array(100), Array.fill(100)(1.toByte)).isDefined).isFalse
  }

  @Test
  def farApart(): Unit = {
    val before = new Array[Byte](1 << 20)
    val now = before.clone()
    for (at <- Seq(0, 127, 128, 129, 16383, 100000, now.length - 1)) now(at) = 1
    val delta = Delta.of(before, now).get
    assertThat(Delta.applied(before, delta)).isEqualTo(now)
    assertThat(delta.length).isLessThan(60)
  }

  @Test
  def whatIsNoDeltaToTheseBytesIsRefused(): Unit = {
    val before = new Array[Byte](20)
    for (delta <- Seq(Seq(1), Seq(0, 5, 1), Seq(30, 1, 1), Seq(0, 21), Seq(255, 255)))
      assertThatThrownBy(() => Delta.applied(before, delta.map(_.toByte).toArray))
        .isInstanceOf(classOf[IllegalArgumentException])
    for (seed <- 0 until 3000) {
      val random = new Random(seed)
      val any = Try(Delta.applied(before, random.nextBytes(random.nextInt(12))))
      assertThat(any.isSuccess || any.failed.get.isInstanceOf[IllegalArgumentException]).isTrue
    }
  }
}
