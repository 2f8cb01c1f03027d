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

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.freshet.slider.Digest;

/**
 * The record of one run of a job: its input as a sequence of leaves, the tree nodes above them, the
 * partition files that tell where their runs lie, and the job runs that those live in. The next run
 * of the job is planned against it.
 *
 * <p>Immutable; lists keep their order. Stored in a binary format with a version and a SHA-256
 * trailer, about 40 bytes a leaf.
 */
public final class Manifest {

  /**
   * An input file.
   *
   * @param path as the job named it
   * @param version what tells two contents under one path and length apart, such as a modification
   *     time
   * @param length in bytes
   */
  public record FileEntry(String path, String version, long length) {
    /** Checks that nothing is null and the length not negative. */
    public FileEntry {
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(version, "version");
      if (length < 0) {
        throw new IllegalArgumentException("length of " + path + " is " + length);
      }
    }
  }

  /**
   * A leaf: what one chunk of input became.
   *
   * @param id the memoization key; two leaves of one manifest may share it
   * @param file index into {@link Manifest#files()}
   * @param offset where the chunk begins in the file, in bytes
   * @param length length of the chunk, in bytes
   * @param run index into {@link Manifest#runs()}: the job run that made it
   */
  public record LeafEntry(Digest id, int file, long offset, long length, int run) {
    /** Checks that the id is there and no range negative. */
    public LeafEntry {
      Objects.requireNonNull(id, "id");
      if (offset < 0 || length < 0) {
        throw new IllegalArgumentException(
            "leaf %s: offset %d, length %d: none may be negative"
                .formatted(id.shortHex(), offset, length));
      }
    }
  }

  /**
   * A tree node.
   *
   * @param id the memoization key
   * @param run index into {@link Manifest#runs()}: the job run that made it
   */
  public record NodeEntry(Digest id, int run) {
    /** Checks that the id is there. */
    public NodeEntry {
      Objects.requireNonNull(id, "id");
    }
  }

  /**
   * A job run that this manifest relies on.
   *
   * @param runId its id
   * @param pins further job runs whose packs this one's partition files point into
   */
  public record RunEntry(String runId, List<String> pins) {
    /** Checks the ids and copies the list. */
    public RunEntry {
      RunId.check(runId);
      pins = List.copyOf(pins);
      pins.forEach(RunId::check);
    }
  }

  private final String runId;
  private final String jobId;
  private final String jobName;
  private final long createdMillis;
  private final String outputDir;
  private final String treeParameters;
  private final List<FileEntry> files;
  private final List<LeafEntry> leaves;
  private final List<NodeEntry> nodes;
  private final List<RunEntry> runs;
  private final List<String> partitions;
  private final Map<Digest, CounterSet> leafCounters;
  private final Map<String, String> properties;

  private Manifest(Builder b) {
    runId = RunId.check(b.runId);
    jobId = b.jobId;
    jobName = b.jobName;
    createdMillis = b.createdMillis;
    outputDir = b.outputDir;
    treeParameters = b.treeParameters;
    files = List.copyOf(b.files);
    leaves = List.copyOf(b.leaves);
    nodes = List.copyOf(b.nodes);
    runs = List.copyOf(b.runs);
    partitions = List.copyOf(b.partitions);
    leafCounters = Collections.unmodifiableMap(new LinkedHashMap<>(b.leafCounters));
    properties = Collections.unmodifiableMap(new TreeMap<>(b.properties));
    for (LeafEntry leaf : leaves) {
      checkIndex("file", leaf.id(), leaf.file(), files.size());
      checkIndex("run", leaf.id(), leaf.run(), runs.size());
    }
    for (NodeEntry node : nodes) {
      checkIndex("run", node.id(), node.run(), runs.size());
    }
  }

  private static void checkIndex(String what, Digest id, int index, int size) {
    if (index < 0 || index >= size) {
      throw new IllegalArgumentException(
          "%s %d of %s: there are %d".formatted(what, index, id.shortHex(), size));
    }
  }

  /**
   * Begins a manifest.
   *
   * @param runId the job run that it records
   */
  public static Builder builder(String runId) {
    return new Builder(runId);
  }

  /** The job run that this records. */
  public String runId() {
    return runId;
  }

  /** Hadoop's id of the job; empty if none ran. */
  public String jobId() {
    return jobId;
  }

  /** The job's name, for people; may be empty. */
  public String jobName() {
    return jobName;
  }

  /** When the run was made, in milliseconds since the epoch. */
  public long createdMillis() {
    return createdMillis;
  }

  /** Where the job wrote its output; null if not known. */
  public String outputDir() {
    return outputDir;
  }

  /** The shape of the trees, in the words of whoever built them; may be empty. */
  public String treeParameters() {
    return treeParameters;
  }

  /** The input files. */
  public List<FileEntry> files() {
    return files;
  }

  /** The leaves in input order. */
  public List<LeafEntry> leaves() {
    return leaves;
  }

  /** The tree nodes. */
  public List<NodeEntry> nodes() {
    return nodes;
  }

  /** The job runs that leaves and nodes come from. */
  public List<RunEntry> runs() {
    return runs;
  }

  /**
   * Per reduce partition, the path of its {@link PartitionFile}, relative to the lineage's
   * directory.
   */
  public List<String> partitions() {
    return partitions;
  }

  /** User counters by leaf; a leaf that counted nothing is absent. */
  public Map<Digest, CounterSet> leafCounters() {
    return leafCounters;
  }

  /** Further facts, sorted by name. */
  public Map<String, String> properties() {
    return properties;
  }

  /**
   * Every job run that must be kept for this manifest to be usable: its own, {@link #runs()}, their
   * pins.
   */
  public Set<String> reachableRuns() {
    Set<String> reachable = new LinkedHashSet<>();
    reachable.add(runId);
    for (RunEntry run : runs) {
      reachable.add(run.runId());
      reachable.addAll(run.pins());
    }
    return Collections.unmodifiableSet(reachable);
  }

  /** Writes the manifest and flushes; the stream stays open. */
  public void write(OutputStream out) throws IOException {
    ManifestFormat.write(this, out);
  }

  /**
   * Reads a manifest to the end of the stream, which stays open.
   *
   * @throws CorruptStoreException if the bytes are not what {@link #write} wrote
   * @throws IOException if the stream itself fails
   */
  public static Manifest read(InputStream in) throws IOException {
    return ManifestFormat.read(in);
  }

  @Override
  public String toString() {
    return "manifest of run %s (%d leaves, %d nodes, %d partitions)"
        .formatted(runId, leaves.size(), nodes.size(), partitions.size());
  }

  /**
   * Collects a manifest's parts, in order. Texts default to empty, the time to now. Not
   * thread-safe.
   */
  public static final class Builder {
    private final String runId;
    private String jobId = "";
    private String jobName = "";
    private long createdMillis = System.currentTimeMillis();
    private String outputDir;
    private String treeParameters = "";
    private final List<FileEntry> files = new ArrayList<>();
    private final List<LeafEntry> leaves = new ArrayList<>();
    private final List<NodeEntry> nodes = new ArrayList<>();
    private final List<RunEntry> runs = new ArrayList<>();
    private final List<String> partitions = new ArrayList<>();
    private final Map<Digest, CounterSet> leafCounters = new LinkedHashMap<>();
    private final Map<String, String> properties = new TreeMap<>();

    private Builder(String runId) {
      this.runId = runId;
    }

    /** See {@link Manifest#jobId()}. */
    public Builder jobId(String id) {
      jobId = Objects.requireNonNull(id, "jobId");
      return this;
    }

    /** See {@link Manifest#jobName()}. */
    public Builder jobName(String name) {
      jobName = Objects.requireNonNull(name, "jobName");
      return this;
    }

    /** See {@link Manifest#createdMillis()}. */
    public Builder createdMillis(long millis) {
      createdMillis = millis;
      return this;
    }

    /** See {@link Manifest#outputDir()}; null if not known. */
    public Builder outputDir(String dir) {
      outputDir = dir;
      return this;
    }

    /** See {@link Manifest#treeParameters()}. */
    public Builder treeParameters(String parameters) {
      treeParameters = Objects.requireNonNull(parameters, "treeParameters");
      return this;
    }

    /** Adds an input file; its index is the number of files before it. */
    public Builder addFile(FileEntry file) {
      files.add(file);
      return this;
    }

    /** Adds input files. */
    public Builder addFiles(Collection<FileEntry> more) {
      files.addAll(more);
      return this;
    }

    /** Adds a leaf. */
    public Builder addLeaf(LeafEntry leaf) {
      leaves.add(leaf);
      return this;
    }

    /** Adds leaves. */
    public Builder addLeaves(Collection<LeafEntry> more) {
      leaves.addAll(more);
      return this;
    }

    /** Adds a node. */
    public Builder addNode(NodeEntry node) {
      nodes.add(node);
      return this;
    }

    /** Adds nodes. */
    public Builder addNodes(Collection<NodeEntry> more) {
      nodes.addAll(more);
      return this;
    }

    /** Adds a job run; its index is the number of runs before it. */
    public Builder addRun(RunEntry run) {
      runs.add(run);
      return this;
    }

    /** Adds job runs. */
    public Builder addRuns(Collection<RunEntry> more) {
      runs.addAll(more);
      return this;
    }

    /** Adds the next partition's file. */
    public Builder addPartition(String path) {
      partitions.add(path);
      return this;
    }

    /** Adds partition files. */
    public Builder addPartitions(Collection<String> more) {
      partitions.addAll(more);
      return this;
    }

    /** Sets a leaf's counters; an empty set makes it absent. */
    public Builder leafCounters(Digest leaf, CounterSet counters) {
      if (counters.isEmpty()) {
        leafCounters.remove(leaf);
      } else {
        leafCounters.put(Objects.requireNonNull(leaf, "leaf"), counters);
      }
      return this;
    }

    /** Sets the counters of several leaves. */
    public Builder leafCounters(Map<Digest, CounterSet> more) {
      more.forEach(this::leafCounters);
      return this;
    }

    /** Sets a property. */
    public Builder property(String name, String value) {
      properties.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /** Sets several properties. */
    public Builder properties(Map<String, String> more) {
      more.forEach(this::property);
      return this;
    }

    /**
     * The manifest.
     *
     * @throws IllegalArgumentException if the run id is not fit for a file name, or a leaf or node
     *     refers to a file or run that is not there
     */
    public Manifest build() {
      return new Manifest(this);
    }
  }
}
