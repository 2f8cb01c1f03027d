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

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store holds of one lineage: the job runs that share code and configuration.
 *
 * <p>A job takes an id from {@link #newRunId()}, writes below {@link #runDir}, and either {@link
 * #publish}es a manifest or {@link #discard}s the run. While it reads earlier runs it holds a lease
 * on them: {@link #leaseLatest} takes the newest manifest and its lease in one step that no
 * collector can come between.
 *
 * <p>Keeps no state in memory; thread-safe, also across processes, as far as the file system is.
 */
public final class LineageStore {
  private static final Logger LOG = LoggerFactory.getLogger(LineageStore.class);
  private static final String PENDING_MANIFEST = "manifest.tmp";
  private static final int ATTEMPTS = 20;

  private final FileSystem fs;
  private final Path dir;
  private final Digest id;

  LineageStore(FileSystem fs, Path dir, Digest id) {
    this.fs = fs;
    this.dir = dir;
    this.id = id;
  }

  /** The lineage's directory; it need not exist. */
  public Path dir() {
    return dir;
  }

  /** The file system that the directory is on. */
  public FileSystem fileSystem() {
    return fs;
  }

  /** The lineage. */
  public Digest id() {
    return id;
  }

  /** Says what the lineage is, for people; once said it stays. */
  public void describe(String text) throws IOException {
    if (Listing.status(fs, descriptionPath()).isPresent()) {
      return;
    }
    Path draft = new Path(dir, ".lineage-" + RunId.next());
    NewFile.write(fs, draft, false, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    if (!fs.rename(draft, descriptionPath())) {
      // Someone else described it meanwhile.
      NewFile.deleteQuietly(fs, draft);
    }
  }

  /** What {@link #describe} said. */
  public Optional<String> description() throws IOException {
    try (InputStream in = fs.open(descriptionPath())) {
      return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** The newest manifest that can be read; others are passed over with a warning. */
  public Optional<Manifest> latest() throws IOException {
    for (PublishedManifest published : manifests()) {
      try {
        return Optional.of(read(published));
      } catch (FileNotFoundException e) {
        LOG.debug("{} was collected meanwhile", published.path());
      } catch (IOException e) {
        LOG.warn("Passing over an unreadable manifest", e);
      }
    }
    return Optional.empty();
  }

  /** The names of the published manifests, newest first. */
  public List<String> manifestNames() throws IOException {
    return manifests().stream().map(PublishedManifest::name).toList();
  }

  /**
   * The manifest of one job run, if it is published.
   *
   * @throws CorruptStoreException if it is damaged
   */
  public Optional<Manifest> manifest(String runId) throws IOException {
    RunId.check(runId);
    for (PublishedManifest published : manifests()) {
      if (published.runId().equals(runId)) {
        try {
          return Optional.of(read(published));
        } catch (FileNotFoundException e) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  /** Whether a run's manifest is published, readable or not. */
  public boolean isPublished(String runId) throws IOException {
    RunId.check(runId);
    return manifests().stream().anyMatch(m -> m.runId().equals(runId));
  }

  /** An id that no other run has; ids sort by the time they were taken, to the millisecond. */
  public String newRunId() {
    return RunId.next();
  }

  /**
   * Where a job run writes; it need not exist.
   *
   * @throws IllegalArgumentException if the id is not fit for a file name
   */
  public Path runDir(String runId) {
    return new Path(runsDir(), RunId.check(runId));
  }

  /**
   * Makes a job run visible, by one rename. Its name begins with a number above all names there
   * are; runs that are published at the same moment may share the number, and then their ids give
   * the order.
   *
   * @throws FileAlreadyExistsException if this run is published already
   * @throws IOException if the manifest cannot be written; the run is then not published
   */
  public void publish(Manifest manifest) throws IOException {
    String runId = manifest.runId();
    Path pending = new Path(runDir(runId), PENDING_MANIFEST);
    List<PublishedManifest> known = manifests();
    requireUnpublished(runId, known);
    NewFile.write(fs, pending, true, manifest::write);
    makeDirectory(manifestsDir());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long sequence = known.isEmpty() ? 1 : known.get(0).sequence() + 1;
      Path target = new Path(manifestsDir(), PublishedManifest.name(sequence, runId));
      if (rename(pending, target)) {
        return;
      }
      known = manifests();
      requireUnpublished(runId, known);
    }
    throw new StoreWriteException(
        manifestsDir(), "renaming " + pending + " was refused " + ATTEMPTS + " times");
  }

  /**
   * Protects job runs from the collector until the time is over or {@link #release} is called. A
   * second lease of the same run replaces the first: so it is renewed, which must happen before it
   * expires.
   *
   * <p>A collector may have begun before the lease was there. So a job that read a manifest must
   * see, after this returns, that the manifest {@link #isPublished}; if it is not, its runs may be
   * gone. {@link #leaseLatest} does all that.
   *
   * @param runId the job run that needs them; its own files are protected, too
   * @param usedRuns all runs it reads, such as {@link Manifest#reachableRuns()}; they are not
   *     followed further
   * @param validity from now
   */
  public Lease lease(String runId, Collection<String> usedRuns, Duration validity)
      throws IOException {
    Lease lease = new Lease(runId, Set.copyOf(usedRuns), Instant.now().plus(validity));
    NewFile.write(fs, leasePath(runId), true, lease::write);
    return lease;
  }

  /**
   * Reads the newest manifest and leases all it reaches, so that it can be planned with. The lease
   * is there even if there is no manifest, for the run's own files.
   *
   * @param runId the job run that plans
   * @param validity of the lease, from now
   */
  public Optional<Manifest> leaseLatest(String runId, Duration validity) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Manifest> latest = latest();
      if (latest.isEmpty()) {
        break;
      }
      lease(runId, latest.get().reachableRuns(), validity);
      if (isPublished(latest.get().runId())) {
        return latest;
      }
    }
    lease(runId, List.of(), validity);
    return Optional.empty();
  }

  /** Gives a lease back; does nothing if there is none. */
  public void release(String runId) throws IOException {
    try {
      fs.delete(leasePath(runId), false);
    } catch (IOException e) {
      throw new StoreWriteException(leasePath(runId), e);
    }
  }

  /** Whether a run's lease has not been released; it may have expired. */
  public boolean leaseExists(String runId) throws IOException {
    return Listing.status(fs, leasePath(runId)).isPresent();
  }

  /**
   * Deletes what the policy does not keep and nothing needs: see {@link RetentionPolicy} for what
   * is kept, {@link #lease} for what running jobs need. May run at any time, in several processes
   * at once.
   *
   * @param now the time to compare ages and leases with
   * @throws IOException if the store could not be read, in which case no run was deleted, or if
   *     something could not be deleted, in which case the rest was
   */
  public CollectResult collect(RetentionPolicy policy, Instant now) throws IOException {
    return new Collector(this, policy, now).collect();
  }

  /**
   * Deletes the files and the lease of a run that failed.
   *
   * @throws IOException if the run is published, or its files cannot be deleted
   */
  public void discard(String runId) throws IOException {
    requireUnpublished(runId, manifests());
    try {
      fs.delete(runDir(runId), true);
    } catch (IOException e) {
      throw new StoreWriteException(runDir(runId), e);
    }
    release(runId);
  }

  /** The size of this lineage; lists every file of it. */
  public StoreStats stats() throws IOException {
    long[] bytesAndPacks = new long[2];
    Listing.walk(fs, dir, file -> add(file, bytesAndPacks));
    return new StoreStats(
        bytesAndPacks[0], bytesAndPacks[1], runDirectories().size(), 1, manifests().size());
  }

  /**
   * The sizes of the job runs that have a directory, the oldest first; lists every file of them.
   */
  public List<RunStats> runStats() throws IOException {
    Set<String> published =
        manifests().stream().map(PublishedManifest::runId).collect(Collectors.toSet());
    List<RunStats> runs = new ArrayList<>();
    for (FileStatus run : runDirectories()) {
      long[] bytesAndPacks = new long[2];
      Listing.walk(fs, run.getPath(), file -> add(file, bytesAndPacks));
      String runId = run.getPath().getName();
      runs.add(new RunStats(runId, bytesAndPacks[0], bytesAndPacks[1], published.contains(runId)));
    }
    runs.sort(Comparator.comparing(RunStats::runId));
    return runs;
  }

  private static void add(FileStatus file, long[] bytesAndPacks) {
    bytesAndPacks[0] += file.getLen();
    bytesAndPacks[1] += file.getPath().getName().endsWith(".pack") ? 1 : 0;
  }

  @Override
  public String toString() {
    return "lineage " + id.shortHex() + " at " + dir;
  }

  /** The published manifests, newest first. */
  List<PublishedManifest> manifests() throws IOException {
    List<PublishedManifest> manifests = new ArrayList<>();
    for (FileStatus child : Listing.of(fs, manifestsDir())) {
      PublishedManifest.of(child).ifPresent(manifests::add);
    }
    manifests.sort(Comparator.reverseOrder());
    return manifests;
  }

  /**
   * Reads a published manifest.
   *
   * @throws CorruptStoreException if it is damaged; names the file
   * @throws FileNotFoundException if it is not there any more
   */
  Manifest read(PublishedManifest published) throws IOException {
    Manifest manifest;
    try (InputStream in = fs.open(published.path())) {
      manifest = Manifest.read(in);
    } catch (CorruptStoreException | ChecksumException | EOFException e) {
      throw new CorruptStoreException(published.path() + ": " + Reason.of(e), e);
    } catch (FSError e) {
      throw new IOException("cannot read " + published.path() + ": " + Reason.of(e), e);
    }
    if (!manifest.runId().equals(published.runId())) {
      throw new CorruptStoreException(
          published.path() + " holds the manifest of run " + manifest.runId());
    }
    return manifest;
  }

  /** The directories of job runs. */
  List<FileStatus> runDirectories() throws IOException {
    return Listing.of(fs, runsDir()).stream()
        .filter(s -> s.isDirectory() && RunId.isValid(s.getPath().getName()))
        .toList();
  }

  /** The files that may be leases. */
  List<FileStatus> leaseFiles() throws IOException {
    return Listing.of(fs, leasesDir()).stream()
        .filter(s -> s.isFile() && RunId.isValid(s.getPath().getName()))
        .toList();
  }

  Path descriptionPath() {
    return new Path(dir, "lineage.txt");
  }

  Path manifestsDir() {
    return new Path(dir, "manifests");
  }

  Path runsDir() {
    return new Path(dir, "runs");
  }

  Path leasesDir() {
    return new Path(dir, "leases");
  }

  private Path leasePath(String runId) {
    return new Path(leasesDir(), RunId.check(runId));
  }

  private void requireUnpublished(String runId, List<PublishedManifest> manifests)
      throws FileAlreadyExistsException {
    RunId.check(runId);
    for (PublishedManifest published : manifests) {
      if (published.runId().equals(runId)) {
        throw new FileAlreadyExistsException(
            "run " + runId + " is published already, as " + published.path());
      }
    }
  }

  private void makeDirectory(Path path) throws IOException {
    boolean made;
    try {
      made = fs.mkdirs(path);
    } catch (IOException e) {
      throw new StoreWriteException(path, e);
    }
    if (!made) {
      throw new StoreWriteException(path, "the directory cannot be made");
    }
  }

  private boolean rename(Path from, Path to) throws IOException {
    try {
      return fs.rename(from, to);
    } catch (IOException e) {
      throw new StoreWriteException(to, e);
    }
  }
}
