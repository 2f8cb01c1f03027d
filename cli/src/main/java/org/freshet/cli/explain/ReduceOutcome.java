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
package org.freshet.cli.explain;

/** What became of one reduce, and why. */
public enum ReduceOutcome {
  /** The job launched nothing. */
  UNCHANGED(true, "were not launched: nothing has changed, the previous output was copied"),
  /** What the reduce reads is what it was. */
  REUSED(true, "copied their previous output: what they read has not changed"),
  FIRST_RUN(false, "ran: there was no earlier run"),
  INPUT_CHANGED(false, "ran: what they read has changed"),
  HAZARD(false, "ran, as every reduce of this job does, for the reason above"),
  OUTPUT_GONE(
      false,
      "ran, although what they read has not changed: the previous output was edited or deleted, and"
          + " no copy of it is kept (freshet.keep.output.bytes)"),
  OUTPUT_UNKNOWN(
      false,
      "ran, although what they read has not changed: the job does not write through the stock"
          + " FileOutputCommitter, so its output can't be reused"),
  OTHER_PARTITIONS(false, "ran: the earlier run had another number of reduces"),
  EARLIER_RUN_UNREADABLE(
      false, "ran; why is not known: the earlier run's record can't be read any more"),
  UNREADABLE(false, "have a record in the store that can't be read");

  private final boolean reused;
  private final String description;

  ReduceOutcome(boolean reused, String description) {
    this.reused = reused;
    this.description = description;
  }

  /** Whether the user's reducer did not have to run. */
  public boolean reused() {
    return reused;
  }

  /** What follows "the reduces", for people. */
  public String description() {
    return description;
  }
}
