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
package org.freshet.drizzle.kafka

import java.util.concurrent.TimeUnit

/** Waits for what no event tells, with a limit. */
object Waiting {

  /** @param what is waited for, in words, for the error
    * @param state asked when it has not come, to tell why
    * @throws IllegalStateException if it does not come in time
    */
  def until(what: String, seconds: Long = 120, state: => Any = "")(condition: => Boolean): Unit = {
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds)
    while (!condition) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(s"No $what in $seconds s. $state")
      }
      Thread.sleep(20)
    }
  }
}
