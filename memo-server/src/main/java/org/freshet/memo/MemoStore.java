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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;

/**
 * A memoization store: a directory of lineages on any Hadoop file system whose rename is atomic.
 *
 * <p>Holds no state but its place, so any number of processes may use one root at a time.
 * Thread-safe as far as the file system is.
 */
public final class MemoStore {
  private static final String VERSION = "v1";
  private static final String LINEAGES = "lineages";

  private final FileSystem fs;
  private final Path root;

  private MemoStore(FileSystem fs, Path root) {
    this.fs = fs;
    this.root = root;
  }

  /**
   * Opens the store at a root. Nothing is created before something is written.
   *
   * @param conf names the file systems and their settings
   * @param root a directory, or a path where one can be made; without a scheme, on the default file
   *     system
   * @throws IOException if the file system cannot be reached, or the root is a file
   */
  public static MemoStore open(Configuration conf, Path root) throws IOException {
    Objects.requireNonNull(root, "root");
    FileSystem fs;
    try {
      fs = root.getFileSystem(conf);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("cannot open the memo store at " + root + ": " + e.getMessage(), e);
    }
    return open(fs, root);
  }

  /**
   * Opens the store at a root on a file system at hand.
   *
   * @throws IOException as for {@link #open(Configuration, Path)}
   */
  public static MemoStore open(FileSystem fs, Path root) throws IOException {
    Path qualified = fs.makeQualified(root);
    Optional<FileStatus> status;
    try {
      status = Listing.status(fs, qualified);
    } catch (ParentNotDirectoryException e) {
      throw new IOException("memo store " + qualified + " lies below a file: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IOException("cannot open the memo store at " + qualified + ": " + e, e);
    }
    if (status.isPresent() && !status.get().isDirectory()) {
      throw new IOException("memo store " + qualified + " is a file, expected a directory");
    }
    return new MemoStore(fs, qualified);
  }

  /** The lineage of that id, whether or not there is anything of it yet. */
  public LineageStore lineage(Digest lineage) {
    return new LineageStore(fs, new Path(lineagesDir(), lineage.hex()), lineage);
  }

  /** The lineages that have a directory, ordered by id. */
  public List<LineageStore> lineages() throws IOException {
    List<LineageStore> lineages = new ArrayList<>();
    for (FileStatus child : Listing.of(fs, lineagesDir())) {
      String name = child.getPath().getName();
      if (child.isDirectory() && name.matches("[0-9a-f]{64}")) {
        lineages.add(lineage(Digest.fromHex(name)));
      }
    }
    lineages.sort(Comparator.comparing(LineageStore::id));
    return lineages;
  }

  /** The size of the store; lists every file of it. */
  public StoreStats stats() throws IOException {
    StoreStats sum = StoreStats.NONE;
    for (LineageStore lineage : lineages()) {
      sum = sum.plus(lineage.stats());
    }
    return sum;
  }

  /** The root, with scheme and authority. */
  public Path root() {
    return root;
  }

  /** The file system that the root is on. */
  public FileSystem fileSystem() {
    return fs;
  }

  private Path lineagesDir() {
    return new Path(new Path(root, VERSION), LINEAGES);
  }
}
