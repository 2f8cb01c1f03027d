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
package org.freshet.drizzle.iterate

import scala.language.implicitConversions

/** How many iterations are scheduled at once. A number stands for itself. */
sealed abstract class GroupSize {
  private[iterate] def fixed: Option[Int]
}

object GroupSize {

  /** As few as make the driver's work for a group small beside its iterations. The first group is one iteration. The
    * keys of Freshet's scheduler say what is small, and how many there may be (`spark.freshet.drizzle.group.lost.lower`,
    * `.lost.upper` and `.most`).
    *
    * Sizes depend on measurements then, and differ from run to run. Values do not, unless a variable's `groupBegins` or
    * `groupEnds` changes them, or `until` ends iterations.
    */
  case object Auto extends GroupSize {
    override private[iterate] def fixed: Option[Int] = None
  }

  /** Always as many, but for the last group.
    *
    * @throws IllegalArgumentException if it is not positive
    */
  final case class Fixed(iterations: Int) extends GroupSize {
    require(iterations > 0, s"The size of a group must be positive, and is $iterations")

    override private[iterate] def fixed: Option[Int] = Some(iterations)
  }

  /** @throws IllegalArgumentException if it is not positive */
  implicit def of(iterations: Int): GroupSize = Fixed(iterations)
}
