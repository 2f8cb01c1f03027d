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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Mark and sweep over job runs, beside jobs that plan and publish and beside other collectors, without any lock:
 *
 *   1. delete the manifests that the policy drops;
 *   2. list the runs, which are now the candidates;
 *   3. find the leases and manifests of one moment, by looking until two looks agree;
 *   4. delete the candidates that no lease of that moment names and no manifest of it reaches.
 *
 * Such a run stays dead. To read it, a job would have to know a manifest that reaches it. There was none at that
 * moment, so the job read one that had been dropped by then; but a job that has read a manifest writes its lease
 * and then looks whether the manifest is still there. If it is, the lease is older than the drop, hence than the
 * moment, and was seen. If it is not, the job plans anew.
 *
 * A job publishes before it gives up its lease, so the moment shows one or the other. It leases before it writes
 * its first file, so a candidate had its lease before the moment. For jobs that do not, the policy grants a run
 * that was never published a grace. A run whose manifest was dropped needs none, but may outlive its manifest as
 * part of newer ones: a marker tells it apart.
 */
/** One collection of one lineage; used once. */
final class Collector {
  private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
  private static final String RETIRED = "retired";
  private static final int ATTEMPTS = 10;

  /**
   * What another process began is done by then: a lease that is half written or renewed at the last
   * moment, the first directories of a lineage.
   */
  private static final Duration SETTLED = Duration.ofHours(1);

  /** What matters of a manifest here. */
  private record Kept(PublishedManifest manifest, List<RunEntry> runs) {}

  private final LineageStore store;
  private final FileSystem fs;
  private final RetentionPolicy policy;
  private final Instant now;

  /** Manifests read so far; empty where damaged. */
  private final Map<PublishedManifest, Optional<Kept>> read = new HashMap<>();

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
    applyPolicy();
    List<FileStatus> candidates = store.runDirectories();
    Optional<Set<String>> needed = neededRuns();
    if (needed.isPresent()) {
      for (FileStatus run : candidates) {
        if (!needed.get().contains(run.getPath().getName()) && !mayBeUnderWay(run)) {
          deleteRun(run.getPath());
        }
      }
    }
    deleteOldLeases();
    boolean removed = failure == null && removeLineage();
    if (failure != null) {
      throw failure;
    }
    return new CollectResult(manifestsDropped, runsDeleted, bytesFreed, removed);
  }

  private void applyPolicy() throws IOException {
    List<Kept> kept = new ArrayList<>();
    List<PublishedManifest> dropped = new ArrayList<>();
    for (PublishedManifest manifest : store.manifests()) {
      boolean wanted =
          kept.size() < policy.manifests() && !isOlder(manifest.modifiedMillis(), policy.maxAge());
      Optional<Kept> readable = Optional.empty();
      if (wanted) {
        try {
          readable = read(manifest);
        } catch (FileNotFoundException e) {
          LOG.debug("{} was collected by another process", manifest.path());
        }
      }
      readable.ifPresentOrElse(kept::add, () -> dropped.add(manifest));
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
      drop(manifest);
    }
  }

  /**
   * The runs that leases or manifests needed at one moment. Empty if there is no telling: the
   * lineage would not stand still, or a lease that is perhaps just being written cannot be read and
   * may name any run.
   */
  private Optional<Set<String>> neededRuns() throws IOException {
    LineageView view = LineageView.of(store);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      List<Kept> kept = new ArrayList<>();
      boolean complete = true;
      for (PublishedManifest manifest : view.manifests()) {
        try {
          read(manifest).ifPresent(kept::add);
        } catch (FileNotFoundException e) {
          complete = false;
        }
      }
      LineageView next = LineageView.of(store);
      if (complete && next.equals(view)) {
        Set<String> needed = reachable(kept);
        return addLeasedRuns(view, needed) ? Optional.of(needed) : Optional.empty();
      }
      view = next;
    }
    LOG.info("{} does not stand still; its runs are left to the next collection", store);
    return Optional.empty();
  }

  private boolean addLeasedRuns(LineageView view, Set<String> needed) {
    for (LineageView.HeldLease held : view.leases()) {
      if (held.lease().isPresent()) {
        Lease lease = held.lease().get();
        if (lease.expires().isAfter(now)) {
          needed.addAll(lease.protectedRuns());
        }
      } else if (!isOlder(held.modifiedMillis(), SETTLED)) {
        LOG.warn("No run is deleted before {} can be read or is old", held.path());
        return false;
      }
    }
    return true;
  }

  private void deleteOldLeases() throws IOException {
    for (LineageView.HeldLease held : LineageView.of(store).leases()) {
      long end =
          held.lease().map(lease -> lease.expires().toEpochMilli()).orElse(held.modifiedMillis());
      if (isOlder(end, SETTLED)) {
        delete(held.path(), false);
      }
    }
  }

  /** Empty if the manifest is damaged: nobody can use its runs then. */
  private Optional<Kept> read(PublishedManifest manifest) throws IOException {
    Optional<Kept> known = read.get(manifest);
    if (known != null) {
      return known;
    }
    Optional<Kept> kept;
    try {
      kept = Optional.of(new Kept(manifest, store.read(manifest).runs()));
    } catch (CorruptStoreException e) {
      LOG.warn("Collecting a damaged manifest", e);
      kept = Optional.empty();
    }
    read.put(manifest, kept);
    return kept;
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

  private boolean mayBeUnderWay(FileStatus run) throws IOException {
    return !isOlder(run.getModificationTime(), policy.graceForUnpublished())
        && Listing.status(fs, new Path(run.getPath(), RETIRED)).isEmpty();
  }

  private void drop(PublishedManifest manifest) throws IOException {
    // A directory: making one twice at a time is harmless, while HDFS fails one of two writers of a
    // file.
    Path marker = new Path(store.runDir(manifest.runId()), RETIRED);
    try {
      if (!fs.mkdirs(marker)) {
        throw new IOException("refused");
      }
    } catch (IOException e) {
      if (Listing.status(fs, manifest.path()).isPresent()) {
        remember(new StoreWriteException(marker, e));
      }
      // Otherwise another collector was faster, and may even have deleted the run's directory.
      return;
    }
    if (delete(manifest.path(), false)) {
      LOG.info("Dropped {}", manifest.path());
      manifestsDropped.add(manifest.name());
      bytesFreed += manifest.length();
    }
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
        || !isOlder(oldest.getModificationTime(), SETTLED)
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

  /** Returns false if that fails, which is remembered, or if another process was faster. */
  private boolean delete(Path path, boolean recursive) {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (fs.delete(path, recursive)) {
          return true;
        }
        // The local file system gives up on a directory that another collector is emptying, too.
        if (Listing.status(fs, path).isEmpty()) {
          return false;
        }
      }
      remember(new StoreWriteException(path, "deleting it was refused"));
    } catch (IOException | FSError e) {
      remember(new StoreWriteException(path, e));
    }
    return false;
  }

  private void remember(IOException e) {
    if (failure == null) {
      failure = e;
    } else {
      failure.addSuppressed(e);
    }
  }
}
