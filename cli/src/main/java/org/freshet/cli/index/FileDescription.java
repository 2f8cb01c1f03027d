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
package org.freshet.cli.index;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.hdfs.index.NoIndex;
import org.freshet.shredder.Chunk;

/**
 * What {@code freshet stat} tells of a file. An immutable value.
 *
 * @param file fully qualified
 * @param length in bytes
 * @param version as Freshet tells one version of the file from another
 * @param blocks in order; none if the file system has none of its own
 * @param index of the file
 */
public record FileDescription(
    String file, long length, String version, List<Block> blocks, Index index) {
  /**
   * A block.
   *
   * @param endsAtCut whether a chunk ends where the block does; null if that is not known
   */
  public record Block(long offset, long length, Boolean endsAtCut) {}

  /** A chunk; the digest in hexadecimal digits. */
  public record Entry(long offset, long length, String sha256) {}

  /**
   * An index, or the reason why there is none.
   *
   * @param place where it is or would be
   * @param missing why there is none; null if there is one, and the rest is null if there is none
   * @param bytes length of the index itself
   */
  public record Index(
      String place,
      String missing,
      String version,
      String fingerprint,
      Long bytes,
      Long chunks,
      Long smallest,
      Long mean,
      Long largest,
      List<Entry> entries) {}

  /**
   * Describes a file.
   *
   * @param withEntries whether to name each chunk
   */
  public static FileDescription of(Configuration conf, FileStatus status, boolean withEntries)
      throws IOException {
    FileSystem fs = status.getPath().getFileSystem(conf);
    Path file = fs.makeQualified(status.getPath());
    FileIndexStore store = FileIndexStore.of(conf);
    FileIndexStore.Lookup lookup = store.lookUp(fs, status, Optional.empty());
    String version = FileVersion.of(fs, status).id();
    if (lookup.index().isEmpty()) {
      NoIndex reason = lookup.reason().orElseThrow();
      Index none =
          new Index(
              String.valueOf(lookup.place()),
              reason.description(),
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null);
      return new FileDescription(
          file.toString(), status.getLen(), version, blocks(fs, status, null), none);
    }
    try (FileIndex index = lookup.index().get()) {
      Set<Long> cuts = new HashSet<>();
      List<Entry> entries = withEntries ? new ArrayList<>() : null;
      long[] extremes = {Long.MAX_VALUE, 0};
      index.forEach(
          0,
          index.length(),
          chunk -> {
            cuts.add(chunk.end());
            extremes[0] = Math.min(extremes[0], chunk.length());
            extremes[1] = Math.max(extremes[1], chunk.length());
            if (withEntries) {
              entries.add(entry(chunk));
            }
          });
      Index described =
          new Index(
              index.place().toString(),
              null,
              index.version().id(),
              index.fingerprint(),
              index.indexBytes(),
              index.count(),
              extremes[0],
              index.length() / index.count(),
              extremes[1],
              entries);
      return new FileDescription(
          file.toString(), status.getLen(), version, blocks(fs, status, cuts), described);
    }
  }

  private static Entry entry(Chunk chunk) {
    return new Entry(chunk.offset(), chunk.length(), HexFormat.of().formatHex(chunk.digest()));
  }

  private static List<Block> blocks(FileSystem fs, FileStatus status, Set<Long> cuts)
      throws IOException {
    boolean virtual =
        fs.hasPathCapability(status.getPath(), CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS);
    List<Block> blocks = new ArrayList<>();
    if (!virtual && status.getLen() > 0) {
      for (BlockLocation block : fs.getFileBlockLocations(status, 0, status.getLen())) {
        long end = block.getOffset() + block.getLength();
        Boolean endsAtCut = cuts == null ? null : cuts.contains(end);
        blocks.add(new Block(block.getOffset(), block.getLength(), endsAtCut));
      }
    }
    return blocks;
  }

  /** Writes it for people. */
  public void print(PrintWriter out) {
    out.println(file);
    out.printf("  length   %d bytes (%s)%n", length, ByteSize.format(length));
    out.println("  version  " + version);
    if (!blocks.isEmpty()) {
      printBlocks(out);
    }
    if (index.missing() != null) {
      out.println("  index    no: " + index.missing() + " (" + index.place() + ")");
      return;
    }
    out.println("  index    " + index.place());
    out.printf(
        Locale.ROOT,
        "           %d bytes, %.4f %% of the file, of version %s%n",
        index.bytes(),
        100.0 * index.bytes() / length,
        index.version());
    out.println("           cut by " + index.fingerprint());
    out.printf(
        "  chunks   %d; least %d, mean %d, greatest %d bytes%n",
        index.chunks(), index.smallest(), index.mean(), index.largest());
    if (index.entries() != null) {
      for (Entry entry : index.entries()) {
        out.printf("%14d %10d  %s%n", entry.offset(), entry.length(), entry.sha256());
      }
    }
  }

  private void printBlocks(PrintWriter out) {
    long least = blocks.stream().mapToLong(Block::length).min().orElse(0);
    long greatest = blocks.stream().mapToLong(Block::length).max().orElse(0);
    out.printf("  blocks   %d; least %d, greatest %d bytes", blocks.size(), least, greatest);
    if (index.missing() == null) {
      long atCuts = blocks.stream().filter(Block::endsAtCut).count();
      out.printf("; %d of them end where a chunk does", atCuts);
    }
    out.println();
  }
}
