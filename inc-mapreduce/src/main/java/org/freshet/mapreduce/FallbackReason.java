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
package org.freshet.mapreduce;

/** Why a job was handed to the delegate untouched. Each is logged, counted and shown by explain. */
public enum FallbackReason {
  DISABLED("freshet.enabled is false"),
  NO_REDUCE("the job has no reduce, so its output files follow the splits"),
  CUSTOM_SHUFFLE("the job names a shuffle plug-in or map output collector of its own"),
  ENCRYPTED_INTERMEDIATE_DATA("intermediate data is encrypted"),
  TOLERATES_FAILED_MAPS("the job may succeed without some of its maps"),
  SPLITS_NOT_FILES("the input format's splits are not ranges of files"),
  MULTIPLE_INPUTS("the job gives each input path a mapper of its own"),
  CODE_HAZARD("the code of the job's map side may depend on more than its input and configuration"),
  LINEAGE_UNKNOWN("the job's identity can't be computed"),
  INPUT_UNSTABLE("an input file changed while it was read"),
  INPUT_UNREADABLE("the input can't be digested"),
  STORE_UNUSABLE("the memo store can't be used"),
  CUSTOM_COMMITTER("the job's output committer can't be wrapped"),
  PREPARED_CLUSTER("the job was built on a Cluster object made before the job was known");

  private final String description;

  FallbackReason(String description) {
    this.description = description;
  }

  /** One clause for people. */
  public String description() {
    return description;
  }
}
