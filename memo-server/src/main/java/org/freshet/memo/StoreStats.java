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
package org.freshet.memo;

/**
 * The size of a store or of one lineage at about one moment.
 *
 * @param bytes of all files, not counting replicas
 * @param packs number of pack files
 * @param runs number of job runs that have a directory, published or not
 * @param lineages number of lineages
 * @param manifests number of published manifests
 */
public record StoreStats(long bytes, long packs, long runs, long lineages, long manifests) {

  /** Nothing. */
  public static final StoreStats NONE = new StoreStats(0, 0, 0, 0, 0);

  /** The sums of both. */
  public StoreStats plus(StoreStats other) {
    return new StoreStats(
        bytes + other.bytes,
        packs + other.packs,
        runs + other.runs,
        lineages + other.lineages,
        manifests + other.manifests);
  }
}
