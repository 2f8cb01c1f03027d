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

import java.util.List;

/**
 * What a collection did.
 *
 * @param manifestsDropped names of the manifests deleted
 * @param runsDeleted ids of the job runs whose files were deleted
 * @param bytesFreed bytes of those runs' files and manifests, not counting replicas
 * @param lineageRemoved whether nothing was left and the lineage's own directory went, too
 */
public record CollectResult(
    List<String> manifestsDropped,
    List<String> runsDeleted,
    long bytesFreed,
    boolean lineageRemoved) {

  /** Copies the lists. */
  public CollectResult {
    manifestsDropped = List.copyOf(manifestsDropped);
    runsDeleted = List.copyOf(runsDeleted);
  }
}
