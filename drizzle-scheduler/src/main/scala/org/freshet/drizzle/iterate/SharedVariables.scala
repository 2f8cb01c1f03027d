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

/** The shared variables as a task sees them in one iteration. For the task's thread alone. */
trait SharedVariables {

  /** The value of a variable, which is not to be changed.
    *
    * @param wait whether to wait until it has all updates of the iterations before, from all partitions. The task
    *   needs no slot meanwhile. Otherwise it is the newest value that this executor has: all updates of so many
    *   iterations, of which one to all may be missing.
    * @throws IllegalArgumentException if it is not one of those that the iterations were given
    * @throws IllegalStateException if this iteration's updates have been committed already
    */
  def get[V](variable: SharedVariable[V, _], wait: Boolean = true): V

  /** Adds an update of this partition. Several are merged in their order.
    *
    * @param update no longer the caller's
    * @throws IllegalStateException if this iteration's updates have been committed already
    */
  def update[U](variable: SharedVariable[_, U], update: U): Unit

  /** There will be no more updates from this partition in this iteration: others need not wait for what the
    * task does after it. What is not committed when the iteration's function returns is committed then.
    *
    * @throws IllegalStateException if they have been committed already
    */
  def commit(variable: SharedVariable[_, _]): Unit
}
