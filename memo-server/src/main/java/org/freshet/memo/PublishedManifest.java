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

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * A manifest as the listing of {@code manifests/} shows it. Ordered from old to new.
 *
 * @param sequence the number its name begins with
 * @param runId the job run that its name ends with
 * @param path of the file
 * @param length of the file, in bytes
 * @param modifiedMillis when it was written, in milliseconds since the epoch
 */
record PublishedManifest(long sequence, String runId, Path path, long length, long modifiedMillis)
    implements Comparable<PublishedManifest> {
  private static final Pattern NAME = Pattern.compile("([0-9]{20})-(.+)");
  private static final Comparator<PublishedManifest> OLD_TO_NEW =
      Comparator.comparingLong(PublishedManifest::sequence).thenComparing(PublishedManifest::runId);

  /** The manifest that a listed file is; empty for a foreign file. */
  static Optional<PublishedManifest> of(FileStatus status) {
    Matcher name = NAME.matcher(status.getPath().getName());
    if (!status.isFile() || !name.matches() || !RunId.isValid(name.group(2))) {
      return Optional.empty();
    }
    long sequence;
    try {
      sequence = Long.parseLong(name.group(1));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
    return Optional.of(
        new PublishedManifest(
            sequence,
            name.group(2),
            status.getPath(),
            status.getLen(),
            status.getModificationTime()));
  }

  /** The file name of a manifest: names sort as numbers do. */
  static String name(long sequence, String runId) {
    return "%020d-%s".formatted(sequence, runId);
  }

  String name() {
    return path.getName();
  }

  @Override
  public int compareTo(PublishedManifest other) {
    return OLD_TO_NEW.compare(this, other);
  }
}
