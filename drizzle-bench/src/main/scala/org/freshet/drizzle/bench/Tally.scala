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

import scala.collection.mutable

/** Whether what there was has been counted, each once.
  *
  * @param expected how many there were
  * @param counted how many were counted
  * @param lost how many of those that there were have not been counted
  * @param excess how many were counted beyond those that there were
  */
private[bench] final case class Tally(expected: Long, counted: Long, lost: Long, excess: Long) {
  def line: String = s"counts\t$expected\t$counted\t$lost\t$excess"
}

private[bench] object Tally {

  /** Compares key by key, so that what is lost of one is not made up for by another. A key may come again; then its
    * counts add up.
    */
  def of[K](expected: Iterator[(K, Long)], counted: Iterator[(K, Long)]): Tally = {
    val all = mutable.HashMap.empty[K, Long].withDefaultValue(0L)
    var (ofExpected, ofCounted) = (0L, 0L)
    expected.foreach { case (key, count) =>
      all(key) -= count
      ofExpected += count
    }
    counted.foreach { case (key, count) =>
      all(key) += count
      ofCounted += count
    }
    val differences = all.values
    Tally(
      ofExpected,
      ofCounted,
      differences.filter(_ < 0).map(-_).sum,
      differences.filter(_ > 0).sum
    )
  }
}
