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
package org.freshet.hdfs.io;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSStripedOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.freshet.shredder.ChunkerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which of a client's streams chunk, and knows those that are open. Safe for use by several
 * threads.
 */
final class OpenStreams {
  private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);

  private final FileSystem fs;
  private final WriteSettings settings;

  /** Where indexes lie, which are not themselves indexed. */
  private final String indexes;

  private final Set<IncrementalOutputStream> open = ConcurrentHashMap.newKeySet();

  OpenStreams(FileSystem fs, WriteSettings settings) {
    this.fs = fs;
    this.settings = settings;
    this.indexes = settings.store().root(fs).toUri().getPath() + "/";
  }

  private boolean covers(String path) {
    return settings.covers(path) && !path.startsWith(indexes);
  }

  /** What to know before a file is opened to append to it; empty if the whole gets no index. */
  Optional<AppendStart> beforeAppend(DFSClient client, String path) {
    if (!covers(path)) {
      return Optional.empty();
    }
    try {
      return AppendStart.of(new WrittenFile(fs, client, settings, path));
    } catch (IOException | RuntimeException e) {
      // If the file is not there or not to be read, stock's own append says so, or does not mind.
      LOG.debug("Freshet: {} can't be looked at", path, e);
      return Optional.empty();
    }
  }

  /**
   * A stream for a new file that stock has opened.
   *
   * @param blockSize of the file, in bytes
   */
  HdfsDataOutputStream created(
      HdfsDataOutputStream stock,
      DFSOutputStream out,
      FileSystem.Statistics statistics,
      DFSClient client,
      String path,
      long blockSize)
      throws IOException {
    if (!isChunked(out, path)) {
      return stock;
    }
    WrittenFile file = new WrittenFile(fs, client, settings, path);
    BlockCuts cuts =
        endsBlocks(out) && BlockCuts.suit(settings.chunker(), blockSize)
            ? BlockCuts.forNewFile(settings.chunker(), blockSize)
                .upTo(BlockCuts.mostBlocks(fs.getConf()))
            : null;
    return opened(stock, statistics, 0, file, IncrementalOutputStream.Continued.NOTHING, cuts);
  }

  /** A stream for a file that stock has opened to append to. */
  HdfsDataOutputStream appended(
      HdfsDataOutputStream stock,
      DFSOutputStream out,
      FileSystem.Statistics statistics,
      DFSClient client,
      String path,
      EnumSet<CreateFlag> flags,
      Optional<AppendStart> start)
      throws IOException {
    if (!isChunked(out, path)) {
      return stock;
    }
    WrittenFile file = new WrittenFile(fs, client, settings, path);
    Optional<IncrementalOutputStream.Continued> continued =
        start.flatMap(found -> continued(found, out, file));
    if (continued.isEmpty()) {
      without(path, NoIndex.APPENDED);
      return stock;
    }
    BlockCuts cuts = null;
    long length = out.getInitialLen();
    long blockSize = start.get().before().getBlockSize();
    ChunkerConfig chunker = settings.chunker();
    if (endsBlocks(out) && BlockCuts.suit(chunker, blockSize)) {
      long lastBlock = start.get().lastBlockStart();
      boolean goesOn = !flags.contains(CreateFlag.NEW_BLOCK) && length - lastBlock < blockSize;
      cuts =
          BlockCuts.forAppend(
                  chunker,
                  blockSize,
                  goesOn ? lastBlock : length,
                  IncrementalOutputStream.firstCutOfAppend(length))
              .upTo(BlockCuts.mostBlocks(fs.getConf()));
    }
    return opened(stock, statistics, length, file, continued.get(), cuts);
  }

  /** Closes what is open, as stock's client does with its own streams. */
  void closeAll() {
    for (IncrementalOutputStream stream : List.copyOf(open)) {
      try {
        stream.close();
      } catch (IOException e) {
        LOG.error("Freshet: failed to close {}", stream, e);
      }
    }
  }

  private HdfsDataOutputStream opened(
      HdfsDataOutputStream stock,
      FileSystem.Statistics statistics,
      long length,
      WrittenFile file,
      IncrementalOutputStream.Continued append,
      BlockCuts cuts)
      throws IOException {
    IncrementalOutputStream[] self = new IncrementalOutputStream[1];
    self[0] =
        IncrementalOutputStream.over(
            stock, statistics, length, file, append, cuts, () -> open.remove(self[0]));
    open.add(self[0]);
    return self[0];
  }

  private boolean isChunked(DFSOutputStream out, String path) {
    if (!covers(path)) {
      without(path, NoIndex.NOT_COVERED);
      return false;
    }
    if (out.getFileEncryptionInfo() != null && !settings.encrypted()) {
      without(path, NoIndex.ENCRYPTED);
      return false;
    }
    return true;
  }

  private static Optional<IncrementalOutputStream.Continued> continued(
      AppendStart start, DFSOutputStream out, WrittenFile file) {
    try {
      if (!start.isOf(out, file)) {
        return Optional.empty();
      }
      return Optional.of(
          start.canWait(file.settings())
              ? IncrementalOutputStream.Continued.later(start)
              : IncrementalOutputStream.Continued.with(start, start.read(file)));
    } catch (IOException | RuntimeException e) {
      LOG.debug("Freshet: the end of {} can't be read", file.path(), e);
      return Optional.empty();
    }
  }

  /** Streams of erasure-coded files can't end a block. */
  private boolean endsBlocks(DFSOutputStream out) {
    return settings.blockCuts() && !(out instanceof DFSStripedOutputStream);
  }

  private static void without(String path, NoIndex why) {
    WriteMetrics.OF_THIS_JVM.notIndexed(why);
    LOG.debug("Freshet: {} gets no index: {}", path, why.reason());
  }
}
