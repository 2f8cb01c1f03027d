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
package org.freshet.cli.memo;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.RunStats;
import org.freshet.memo.StoreStats;

/**
 * What a store holds of one lineage.
 *
 * @param lineage its id, in hexadecimal digits
 * @param jobName name of the job that was published last, or null if none is
 * @param jobId its id, or null
 * @param publishedMillis when it was published, or 0
 * @param bytes of all files, not counting replicas
 * @param packs number of pack files
 * @param manifests number of published runs
 * @param runs each run that has a directory, the oldest first
 */
public record LineageUse(
    String lineage,
    String jobName,
    String jobId,
    long publishedMillis,
    long bytes,
    long packs,
    long manifests,
    List<RunStats> runs) {

  static LineageUse of(LineageStore lineage) throws IOException {
    StoreStats stats = lineage.stats();
    Optional<Manifest> latest = lineage.latest();
    return new LineageUse(
        lineage.id().hex(),
        latest.map(Manifest::jobName).orElse(null),
        latest.map(Manifest::jobId).orElse(null),
        latest.map(Manifest::createdMillis).orElse(0L),
        stats.bytes(),
        stats.packs(),
        stats.manifests(),
        lineage.runStats());
  }
}
