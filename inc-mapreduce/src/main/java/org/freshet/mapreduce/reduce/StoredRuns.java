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
package org.freshet.mapreduce.reduce;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Progressable;
import org.freshet.mapreduce.run.Run;
import org.freshet.memo.PartitionIndex;
import org.freshet.memo.RunInput;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memoized runs of one partition. Every run is checked against its SHA-256 before a byte of it is
 * used: small ones while they are read into memory, large ones by a pass of their own, since
 * neither a merge nor the user's reducer can be taken back.
 */
final class StoredRuns implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoredRuns.class);

  private final FileSystem fs;
  private final Path lineageDir;
  private final PartitionIndex index;
  private final long memoryLimit;
  private final Progressable progress;
  private long memoryUsed;
  private final Set<Digest> damaged = new HashSet<>();

  /**
   * @param index of the runs
   * @param memoryLimit bytes of small runs to hold in memory at most
   * @param progress told as long as runs are read
   */
  StoredRuns(
      FileSystem fs,
      Path lineageDir,
      PartitionIndex index,
      long memoryLimit,
      Progressable progress) {
    this.fs = fs;
    this.lineageDir = lineageDir;
    this.memoryLimit = memoryLimit;
    this.index = index;
    this.progress = progress;
  }

  PartitionIndex index() {
    return index;
  }

  /** Where a run is, if it is known and was not found damaged. */
  Optional<RunRef> find(Digest id) {
    return index.lookup(id).filter(ref -> !damaged.contains(ref.content()));
  }

  /**
   * A verified run that can be read.
   *
   * @return empty if the run is missing or damaged, which is logged and remembered
   */
  Optional<Run> open(RunRef ref) {
    try {
      if (ref.storedLength() <= RunInput.SMALL_RUN_BYTES
          && memoryUsed + ref.storedLength() <= memoryLimit) {
        byte[] bytes;
        try (InputStream in = RunInput.open(fs, lineageDir, ref)) {
          bytes = in.readAllBytes();
        }
        progress.progress();
        memoryUsed += bytes.length;
        return Optional.of(
            new Run.InMemory(ref.content(), bytes, ref.storedLength(), ref.rawLength()));
      }
      RunInput.verify(fs, lineageDir, ref, progress);
      return Optional.of(
          new Run.InFile(
              ref.content(),
              fs,
              new Path(lineageDir, ref.pack()),
              ref.offset(),
              ref.storedLength(),
              ref.rawLength()));
    } catch (IOException e) {
      LOG.warn("A memoized run can't be used and is computed again: {}", e.toString());
      damaged.add(ref.content());
      return Optional.empty();
    }
  }

  /** Gives back the memory of runs whose merge is done. */
  void release(Run run) {
    if (run instanceof Run.InMemory memory) {
      memoryUsed = Math.max(0, memoryUsed - memory.bytes().length);
    }
  }

  /** The job run that a pack belongs to. */
  static String runOf(RunRef ref) {
    return runOf(ref.pack());
  }

  /** The job run that a file, named relative to the lineage's directory, belongs to. */
  static String runOf(String name) {
    return new Path(name).getParent().getName();
  }

  /** The job runs of some files. */
  static Set<String> runsOf(List<String> names) {
    Set<String> runs = new LinkedHashSet<>();
    names.forEach(name -> runs.add(runOf(name)));
    return runs;
  }

  @Override
  public void close() throws IOException {
    index.close();
  }
}
