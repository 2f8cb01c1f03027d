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

import java.time.Duration;
import java.util.Objects;

/**
 * How much of a lineage the collector keeps. Limits are for one lineage; a manifest goes when any
 * of the first three says so.
 *
 * @param manifests how many manifests to keep, the newest; 0 keeps none
 * @param maxAge manifests published longer ago go, even the newest
 * @param maxBytes bound on the files of the kept manifests and the runs they reach; the oldest
 *     manifests go until it holds, even if none is left. Runs of jobs under way do not count
 * @param graceForUnpublished how long after its directory last changed a run that was never
 *     published, and that no lease covers, is still taken for a job under way
 */
public record RetentionPolicy(
    int manifests, Duration maxAge, long maxBytes, Duration graceForUnpublished) {

  /** Three manifests, 30 days, no limit on bytes, a grace of 24 hours. */
  public static final RetentionPolicy DEFAULT =
      new RetentionPolicy(3, Duration.ofDays(30), Long.MAX_VALUE, Duration.ofHours(24));

  /** Checks that nothing is null or negative. */
  public RetentionPolicy {
    Objects.requireNonNull(maxAge, "maxAge");
    Objects.requireNonNull(graceForUnpublished, "graceForUnpublished");
    if (manifests < 0 || maxBytes < 0 || maxAge.isNegative() || graceForUnpublished.isNegative()) {
      throw new IllegalArgumentException(
          "manifests %d, maxAge %s, maxBytes %d, graceForUnpublished %s: none may be negative"
              .formatted(manifests, maxAge, maxBytes, graceForUnpublished));
    }
  }

  /** This policy with another number of manifests. */
  public RetentionPolicy withManifests(int count) {
    return new RetentionPolicy(count, maxAge, maxBytes, graceForUnpublished);
  }

  /** This policy with another age limit. */
  public RetentionPolicy withMaxAge(Duration age) {
    return new RetentionPolicy(manifests, age, maxBytes, graceForUnpublished);
  }

  /** This policy with another size limit. */
  public RetentionPolicy withMaxBytes(long bytes) {
    return new RetentionPolicy(manifests, maxAge, bytes, graceForUnpublished);
  }

  /** This policy with another grace. */
  public RetentionPolicy withGraceForUnpublished(Duration grace) {
    return new RetentionPolicy(manifests, maxAge, maxBytes, grace);
  }
}
