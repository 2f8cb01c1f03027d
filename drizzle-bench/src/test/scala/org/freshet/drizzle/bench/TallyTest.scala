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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class TallyTest {
  private val expected = Seq("a" -> 3L, "b" -> 2L)

  @Test def countsThatAreTheSameAreExact(): Unit =
    assertThat(tally("b" -> 2L, "a" -> 3L)).isEqualTo(Tally(5, 5, 0, 0))

  @Test def aKeyMayComeInParts(): Unit =
    assertThat(tally("a" -> 1L, "b" -> 2L, "a" -> 2L)).isEqualTo(Tally(5, 5, 0, 0))

  @Test def whatIsMissingIsLost(): Unit = {
    assertThat(tally("a" -> 3L)).isEqualTo(Tally(5, 3, 2, 0))
    assertThat(tally()).isEqualTo(Tally(5, 0, 5, 0))
  }

  @Test def whatIsCountedAgainIsInExcess(): Unit =
    assertThat(tally("a" -> 3L, "b" -> 2L, "b" -> 2L)).isEqualTo(Tally(5, 7, 0, 2))

  @Test def whatWasNotThereIsInExcess(): Unit =
    assertThat(tally("a" -> 3L, "b" -> 2L, "c" -> 1L)).isEqualTo(Tally(5, 6, 0, 1))

  @Test def oneKeyDoesNotMakeUpForAnother(): Unit =
    assertThat(tally("a" -> 2L, "b" -> 3L)).isEqualTo(Tally(5, 5, 1, 1))

  private def tally(counted: (String, Long)*): Tally = Tally.of(expected.iterator, counted.iterator)
}
