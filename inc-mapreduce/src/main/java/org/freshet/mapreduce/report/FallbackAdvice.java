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
package org.freshet.mapreduce.report;

import org.freshet.mapreduce.FallbackReason;

/** What a user can do about each {@link FallbackReason}. */
public final class FallbackAdvice {
  private FallbackAdvice() {}

  /** One or two sentences for people. */
  public static String on(FallbackReason reason) {
    return switch (reason) {
      case DISABLED -> "Leave freshet.enabled at true, its default.";
      case NO_REDUCE ->
          "Nothing has to be done; if many files stay the same between runs, a reduce that passes its"
              + " records on makes their maps reusable.";
      case CUSTOM_SHUFFLE ->
          "Unset mapreduce.job.map.output.collector.class and"
              + " mapreduce.job.reduce.shuffle.consumer.plugin.class: Freshet takes these places.";
      case ENCRYPTED_INTERMEDIATE_DATA ->
          "Unset mapreduce.job.encrypted-intermediate-data, if map output may be kept unencrypted in"
              + " the memo store.";
      case TOLERATES_FAILED_MAPS ->
          "Set mapreduce.map.failures.maxpercent to 0: results that lack some maps must not be"
              + " reused.";
      case SPLITS_NOT_FILES ->
          "Use an input format whose splits are FileSplits or CombineFileSplits, for example on an"
              + " export of the data.";
      case MULTIPLE_INPUTS ->
          "Use one job for each mapper, or one mapper that tells its inputs apart by the records.";
      case CODE_HAZARD ->
          "If what was found can't change the job's output, set freshet.code.hazards=ignore for this"
              + " job; otherwise take it out of the code that is named.";
      case LINEAGE_UNKNOWN ->
          "See to it that the submitting client can load every class and read every jar and cache"
              + " file of the job.";
      case INPUT_UNSTABLE ->
          "Run the job when nothing writes to its input, or give it a snapshot or a finished"
              + " directory.";
      case INPUT_UNREADABLE ->
          "See to it that the submitting client can read every input file, then run the job again.";
      case STORE_UNUSABLE ->
          "See to it that freshet.store names a directory that the submitting user can write to, on a"
              + " file system with space left.";
      case CUSTOM_COMMITTER ->
          "Unset mapred.output.committer.class, or write the job for the new API.";
      case PREPARED_CLUSTER ->
          "Make the job with Job.getInstance(conf) rather than with a Cluster object of the"
              + " program's.";
    };
  }
}
