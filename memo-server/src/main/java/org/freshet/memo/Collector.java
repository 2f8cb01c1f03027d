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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Mark and sweep over job runs, beside jobs that plan and publish. The order of the steps is what makes it safe
 * without any lock:
 *
 *   1. delete the manifests that the policy drops;
 *   2. list the runs, which are now the candidates;
 *   3. read the leases;
 *   4. list the manifests again, and read those not yet known;
 *   5. delete the candidates that no manifest of step 4 reaches and no lease of step 3 names.
 *
 * A job that reads old runs reads a manifest, writes its lease, and then looks whether the manifest is still
 * there. If it is, then either the manifest is kept, or the lease was written before step 1 deleted it and step
 * 3 sees the lease. If it is not, the job plans anew.
 *
 * A job that publishes does so before it gives up its lease: if step 3 does not see the lease any more, step 4
 * sees the manifest.
 *
 * A job leases before it writes its first file: a candidate of step 2 has a lease at step 3. For jobs that do
 * not, the policy grants a run that was never published a grace. A run whose manifest was dropped needs none,
 * but may outlive its manifest as part of newer ones: a marker file tells it apart.
 */
/** One collection of one lineage; used once. */
final class Collector {
  private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
  private static final String RETIRED = "retired";

  /** What matters of a manifest here. */
  private record Kept(PublishedManifest manifest, List<RunEntry> runs) {}

  private final LineageStore store;
  private final FileSystem fs;
  private final RetentionPolicy policy;
  private final Instant now;

  private final Map<String, Long> runBytes = new HashMap<>();
  private final List<String> manifestsDropped = new ArrayList<>();
  private final List<String> runsDeleted = new ArrayList<>();
  private long bytesFreed;
  private IOException failure;

  Collector(LineageStore store, RetentionPolicy policy, Instant now) {
    this.store = store;
    this.fs = store.fileSystem();
    this.policy = policy;
    this.now = now;
  }

  CollectResult collect() throws IOException {
    Set<PublishedManifest> settled = new HashSet<>();
    List<Kept> kept = applyPolicy(settled);
    List<FileStatus> candidates = store.runDirectories();
    Set<String> needed = new HashSet<>();
    boolean leasesClear = addLeasedRuns(needed);
    for (PublishedManifest manifest : store.manifests()) {
      if (!settled.contains(manifest)) {
        keepIfReadable(manifest, kept);
      }
    }
    needed.addAll(reachable(kept));
    if (leasesClear) {
      for (FileStatus run : candidates) {
        if (!needed.contains(run.getPath().getName()) && !mayBeUnderWay(run)) {
          deleteRun(run.getPath());
        }
      }
    }
    boolean removed = kept.isEmpty() && leasesClear && failure == null && removeLineage();
    if (failure != null) {
      throw failure;
    }
    return new CollectResult(manifestsDropped, runsDeleted, bytesFreed, removed);
  }

  /** Deletes what the policy drops and returns the rest, newest first. */
  private List<Kept> applyPolicy(Set<PublishedManifest> settled) throws IOException {
    List<Kept> kept = new ArrayList<>();
    List<PublishedManifest> dropped = new ArrayList<>();
    for (PublishedManifest manifest : store.manifests()) {
      settled.add(manifest);
      boolean wanted =
          kept.size() < policy.manifests() && !isOlder(manifest.modifiedMillis(), policy.maxAge());
      if (!wanted || !keepIfReadable(manifest, kept)) {
        dropped.add(manifest);
      }
    }
    while (!kept.isEmpty() && isOverLimit(kept)) {
      Kept oldest = kept.remove(kept.size() - 1);
      if (kept.isEmpty()) {
        LOG.warn(
            "{} alone needs more than the limit of {} bytes and is dropped",
            oldest.manifest().path(),
            policy.maxBytes());
      }
      dropped.add(oldest.manifest());
    }
    for (PublishedManifest manifest : dropped) {
      if (!drop(manifest)) {
        // Still published, so what it reaches must stay.
        settled.remove(manifest);
      }
    }
    return kept;
  }

  /** Returns false if the manifest is damaged or gone; nobody can use its runs then. */
  private boolean keepIfReadable(PublishedManifest manifest, List<Kept> kept) throws IOException {
    try {
      kept.add(new Kept(manifest, store.read(manifest).runs()));
      return true;
    } catch (CorruptStoreException e) {
      LOG.warn("Collecting a damaged manifest", e);
      return false;
    } catch (FileNotFoundException e) {
      LOG.debug("{} was collected by another process", manifest.path());
      return false;
    }
  }

  private boolean isOverLimit(List<Kept> kept) throws IOException {
    if (policy.maxBytes() == Long.MAX_VALUE) {
      return false;
    }
    long bytes = 0;
    for (Kept k : kept) {
      bytes += k.manifest().length();
    }
    for (String run : reachable(kept)) {
      bytes += bytesOf(run);
    }
    return bytes > policy.maxBytes();
  }

  private static Set<String> reachable(List<Kept> kept) {
    Map<String, Set<String>> pins = new HashMap<>();
    Deque<String> open = new ArrayDeque<>();
    for (Kept k : kept) {
      open.add(k.manifest().runId());
      for (RunEntry run : k.runs()) {
        open.add(run.runId());
        pins.computeIfAbsent(run.runId(), r -> new HashSet<>()).addAll(run.pins());
      }
    }
    Set<String> reached = new HashSet<>();
    while (!open.isEmpty()) {
      String run = open.remove();
      if (reached.add(run)) {
        open.addAll(pins.getOrDefault(run, Set.of()));
      }
    }
    return reached;
  }

  /**
   * Adds what unexpired leases name. Returns false if a recent lease cannot be read, perhaps
   * because it is being written at this moment: it may name any run.
   */
  private boolean addLeasedRuns(Set<String> needed) throws IOException {
    boolean clear = true;
    for (FileStatus file : store.leaseFiles()) {
      Path path = file.getPath();
      Instant expires;
      try (InputStream in = fs.open(path)) {
        Lease lease = Lease.read(path.getName(), in);
        expires = lease.expires();
        if (expires.isAfter(now)) {
          needed.addAll(lease.protectedRuns());
        }
      } catch (FileNotFoundException e) {
        LOG.debug("{} was released meanwhile", path);
        continue;
      } catch (CorruptStoreException | ChecksumException e) {
        LOG.warn("{} cannot be read", path, e);
        expires = Instant.ofEpochMilli(file.getModificationTime());
        clear &= isOlder(file.getModificationTime(), policy.graceForUnpublished());
      }
      // Not sooner, for the holder may be renewing a lease that has only just expired.
      if (isOlder(expires.toEpochMilli(), policy.graceForUnpublished())) {
        delete(path, false);
      }
    }
    return clear;
  }

  private boolean mayBeUnderWay(FileStatus run) throws IOException {
    return !isOlder(run.getModificationTime(), policy.graceForUnpublished())
        && Listing.status(fs, new Path(run.getPath(), RETIRED)).isEmpty();
  }

  private boolean drop(PublishedManifest manifest) {
    try {
      NewFile.write(fs, new Path(store.runDir(manifest.runId()), RETIRED), true, out -> {});
    } catch (IOException e) {
      remember(e);
      return false;
    }
    if (!delete(manifest.path(), false)) {
      return false;
    }
    LOG.info("Dropped {}", manifest.path());
    manifestsDropped.add(manifest.name());
    bytesFreed += manifest.length();
    return true;
  }

  private void deleteRun(Path run) throws IOException {
    long bytes = bytesOf(run.getName());
    if (delete(run, true)) {
      LOG.info("Deleted {}, {} bytes", run, bytes);
      runsDeleted.add(run.getName());
      bytesFreed += bytes;
    }
  }

  /** Removes the directories of a lineage that has nothing left and was not begun only now. */
  private boolean removeLineage() throws IOException {
    FileStatus oldest = Listing.status(fs, store.descriptionPath()).orElse(null);
    if (oldest == null) {
      oldest = Listing.status(fs, store.dir()).orElse(null);
    }
    if (oldest == null
        || !isOlder(oldest.getModificationTime(), policy.graceForUnpublished())
        || !Listing.of(fs, store.runsDir()).isEmpty()
        || !Listing.of(fs, store.leasesDir()).isEmpty()
        || !Listing.of(fs, store.manifestsDir()).isEmpty()) {
      return false;
    }
    try {
      // Not recursive: should a job begin this very moment, its files stop this.
      fs.delete(store.runsDir(), false);
      fs.delete(store.leasesDir(), false);
      fs.delete(store.manifestsDir(), false);
      fs.delete(store.descriptionPath(), false);
      return fs.delete(store.dir(), false);
    } catch (IOException e) {
      LOG.info("{} is in use again or holds foreign files, and stays", store.dir(), e);
      return false;
    }
  }

  private long bytesOf(String run) throws IOException {
    Long known = runBytes.get(run);
    if (known != null) {
      return known;
    }
    long[] bytes = {0};
    Listing.walk(fs, store.runDir(run), file -> bytes[0] += file.getLen());
    runBytes.put(run, bytes[0]);
    return bytes[0];
  }

  /**
   * Whether a moment lies further back than an age; an age of zero makes any earlier moment older.
   */
  private boolean isOlder(long millis, Duration age) {
    return Duration.between(Instant.ofEpochMilli(millis), now).compareTo(age) > 0;
  }

  private boolean delete(Path path, boolean recursive) {
    try {
      fs.delete(path, recursive);
      return true;
    } catch (IOException | FSError e) {
      remember(new StoreWriteException(path, e));
      return false;
    }
  }

  private void remember(IOException e) {
    if (failure == null) {
      failure = e;
    } else {
      failure.addSuppressed(e);
    }
  }
}
