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

/** How a suite went.
  *
  * @param isOn whether Freshet was to be switched on
  * @param expected failures of this suite that are expected
  */
private[sparktests] final case class SuiteResult(
    suite: String,
    outcomes: Seq[Outcome],
    contexts: Contexts,
    seconds: Long,
    inTime: Boolean,
    isOn: Boolean,
    expected: Seq[Expected]
) {
  val failed: Seq[String] = tests(Outcome.Failed)
  val passed: Seq[String] = tests(Outcome.Passed)
  val unexpected: Seq[String] =
    failed.filterNot(test => expected.exists(e => e.test == test && isCause(e)))

  /** What is wrong; empty if all is as it should be. */
  def complaints: Seq[String] =
    unexpected.map(test => s"failed: $test") ++
      Seq("it took too long").filter(_ => !inTime) ++
      Seq("it did not come to its end").filter(_ => inTime && tests(Outcome.End).isEmpty) ++
      Seq("Freshet was not at work").filter(_ => isOn && contexts.dispatched == 0) ++
      expected
        .filter(e => isOn || e.cause == Expected.Stock)
        .filter(e => passed.contains(e.test))
        .map(e => s"passed, though expected to fail (${e.cause}): ${e.test}")

  def lines: Seq[String] = {
    val counts =
      s"${passed.size} passed, ${failed.size} failed (${unexpected.size} unexpectedly), " +
        s"${tests(Outcome.Skipped).size} skipped by Spark"
    val work = s"${contexts.ours} of ${contexts.all} contexts with Freshet, which sent " +
      s"${contexts.dispatched} stages, ${contexts.ahead} of them ahead, and left ${contexts.left}"
    s"$suite: $counts, $seconds s; $work" +: complaints.map("  " + _)
  }

  /** With Freshet, what stock fails at is expected, too. */
  private def isCause(e: Expected): Boolean = isOn || e.cause == Expected.Stock

  private def tests(how: String): Seq[String] = outcomes.filter(_.how == how).map(_.test)
}

private[sparktests] object SuiteResult {
  def sum(results: Seq[SuiteResult]): String = {
    def count(of: SuiteResult => Long) = results.map(of).sum
    s"${results.size} suites, ${count(_.passed.size)} tests passed, " +
      s"${count(_.failed.size)} failed, ${count(_.unexpected.size)} of them unexpectedly; " +
      s"Freshet sent ${count(_.contexts.dispatched)} stages, ${count(_.contexts.ahead)} of them ahead; " +
      s"${count(_.seconds)} s"
  }
}
