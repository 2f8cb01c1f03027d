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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Tasks that are sent again are not begun again. */
final class ArrivalsTest {
  private val arrivals = new Arrivals

  private def areNew(taskIds: Seq[Long]): Seq[Long] = taskIds.filter(arrivals.add)

  @Test
  def aTaskThatIsHereIsKnownHoweverManyComeAfterIt(): Unit = {
    assertThat(areNew(Seq(0L))).isEqualTo(Seq(0L))
    val others = 1L to 30000L
    assertThat(areNew(others)).isEqualTo(others)
    others.foreach(arrivals.left)
    assertThat(areNew(Seq(0L))).isEqualTo(Seq.empty)
  }

  @Test
  def tasksThatHaveLeftAreKnownHoweverManyHaveComeTogether(): Unit = {
    val together = 0L until 30000L
    arrivals.atOnce(together.size)
    assertThat(areNew(together)).isEqualTo(together)
    together.foreach(arrivals.left)
    val others = 30000L until 40000L
    others.foreach(arrivals.add)
    others.foreach(arrivals.left)
    assertThat(areNew(together)).isEqualTo(Seq.empty)
  }

  @Test
  def ofTasksThatHaveLeftNotAllAreKeptForEver(): Unit = {
    val all = 0L until 30000L
    all.foreach(arrivals.add)
    all.foreach(arrivals.left)
    assertThat(areNew(all).size).isEqualTo(20000)
  }
}
