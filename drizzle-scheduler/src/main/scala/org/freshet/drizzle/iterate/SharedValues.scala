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

/** The values of shared variables at the end of a group, on the driver. Safe for use by several threads.
  *
  * @param iterations how many have been run
  */
final class SharedValues private[iterate] (
    val iterations: Int,
    variables: Vector[SharedVariable[_, _]],
    values: Vector[Any]
) {

  /** @throws IllegalArgumentException if it is not one of those that the iterations were given */
  def apply[V](variable: SharedVariable[V, _]): V = {
    val index = variables.indexWhere(_.name == variable.name)
    require(index >= 0, s"There is no $variable in these iterations")
    values(index).asInstanceOf[V]
  }
}
