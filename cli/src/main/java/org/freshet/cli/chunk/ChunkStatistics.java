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
package org.freshet.cli.chunk;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What a sequence of chunks looks like as a whole. An immutable value; lengths in bytes.
 *
 * @param bytes of all chunks
 * @param chunks how many there are
 * @param minimum the least length; 0 if there is no chunk, as are the next seven
 * @param mean the mean length
 * @param maximum the greatest length
 * @param deviation the standard deviation of the length
 * @param percentile1 a hundredth of the chunks is not longer
 * @param median half the chunks are not longer
 * @param percentile99 all but a hundredth are not longer
 * @param distribution how many chunks have lengths in each power of two, from the shortest to the
 *     longest
 * @param duplicateChunks how many have the content of an earlier one; null without digests
 * @param duplicateBytes how long those are together; null without digests
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ChunkStatistics(
    long bytes,
    long chunks,
    long minimum,
    double mean,
    long maximum,
    double deviation,
    long percentile1,
    long median,
    long percentile99,
    List<LengthClass> distribution,
    Long duplicateChunks,
    Long duplicateBytes) {

  /**
   * Chunks of similar length.
   *
   * @param from the least length, a power of two
   * @param below the least length that is too long
   * @param chunks how many
   */
  public record LengthClass(long from, long below, long chunks) {}

  public ChunkStatistics {
    distribution = List.copyOf(distribution);
  }
}
