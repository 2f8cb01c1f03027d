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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a look at a lineage showed of the two things that keep runs alive. One look takes time, and
 * the lineage may never have been as it shows; but if two looks in a row are equal, then it was
 * just so at some moment between them, for no manifest is published twice (the double collect of
 * Afek et al., "Atomic snapshots of shared memory", JACM 40(4), 1993, section 3).
 *
 * @param leases ordered by holder
 * @param manifests newest first
 */
record LineageView(List<HeldLease> leases, List<PublishedManifest> manifests) {
  private static final Logger LOG = LoggerFactory.getLogger(LineageView.class);

  /**
   * A lease file.
   *
   * @param path of the file, which is named for the holder
   * @param modifiedMillis when it was written, in milliseconds since the epoch
   * @param lease what it says; empty if it cannot be read, perhaps because it is just being written
   */
  record HeldLease(Path path, long modifiedMillis, Optional<Lease> lease) {}

  /** Looks at a lineage. */
  static LineageView of(LineageStore store) throws IOException {
    List<HeldLease> leases = new ArrayList<>();
    for (FileStatus file : store.leaseFiles()) {
      Path path = file.getPath();
      Optional<Lease> lease;
      try (InputStream in = store.fileSystem().open(path)) {
        lease = Optional.of(Lease.read(path.getName(), in));
      } catch (FileNotFoundException e) {
        LOG.debug("{} was released meanwhile", path);
        continue;
      } catch (CorruptStoreException | ChecksumException e) {
        LOG.warn("{} cannot be read", path, e);
        lease = Optional.empty();
      }
      leases.add(new HeldLease(path, file.getModificationTime(), lease));
    }
    leases.sort(Comparator.comparing(HeldLease::path));
    return new LineageView(leases, store.manifests());
  }
}
