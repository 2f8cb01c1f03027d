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
package org.freshet.hdfs.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.format.StockReader.Read;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;

/** A local file, cut by a format, and what a stock reader makes of it and of its chunks. */
record CutFile(java.nio.file.Path file, RecordFormat format, List<Chunk> chunks) {
  /** Small enough for a few records a chunk; the minimum is the smallest an indexer allows. */
  static ChunkerConfig sizes(int average) {
    return ChunkerConfig.of(64, Math.max(66, average), 4 * Math.max(66, average));
  }

  static CutFile of(java.nio.file.Path file, RecordFormat format, ChunkerConfig sizes)
      throws IOException {
    List<Chunk> chunks =
        format.chunks(ByteSource.of(file), sizes, null, 1).orElseThrow(AssertionError::new);
    return new CutFile(file, format, chunks);
  }

  /** Several threads cut as one does. */
  void requireSameOfThreads(ChunkerConfig sizes) throws IOException {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      assertThat(format.chunks(ByteSource.of(file), sizes, executor, 2)).contains(chunks);
    } finally {
      executor.shutdownNow();
    }
  }

  private Path path() {
    return new Path(file.toUri());
  }

  long length() {
    return chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).end();
  }

  /**
   * What is read for each chunk, by a name made of its digest and, if there is one, its header's.
   */
  private List<Map.Entry<String, List<Read>>> readByChunk(StockReader stock)
      throws IOException, InterruptedException {
    List<Map.Entry<String, List<Read>>> read = new ArrayList<>();
    int first = format.hasHeader() ? 1 : 0;
    for (int i = first; i < chunks.size(); i++) {
      Chunk chunk = chunks.get(i);
      long offset = i == first ? 0 : chunk.offset();
      String name = name(chunk) + (format.hasHeader() ? name(chunks.get(0)) : "");
      read.add(
          Map.entry(
              name, stock.range(path(), format.split(offset, chunk.end() - offset, length()))));
    }
    return read;
  }

  private static String name(Chunk chunk) {
    return HexFormat.of().formatHex(chunk.digest());
  }

  /** Chunks read one after the other give what the whole file gives. */
  CutFile requireExact(StockReader stock) throws IOException, InterruptedException {
    List<Read> byChunk = new ArrayList<>();
    readByChunk(stock).forEach(chunk -> byChunk.addAll(chunk.getValue()));
    assertThat(byChunk).isEqualTo(stock.all(path(), length()));
    return this;
  }

  /** This many small splits, then one with the rest: what can go wrong does so at once. */
  private static final int SMALL_SPLITS = 40;

  /** Splits at other places give what the whole file gives: there is one truth to keep to. */
  CutFile requireStockExact(StockReader stock, long splitBytes)
      throws IOException, InterruptedException {
    List<Read> bySplit = new ArrayList<>();
    for (long at = 0; at < length(); ) {
      long left = length() - at;
      long bytes = at >= SMALL_SPLITS * splitBytes ? left : Math.min(splitBytes, left);
      bySplit.addAll(stock.range(path(), new RecordFormat.Range(at, bytes)));
      at += bytes;
    }
    assertThat(bySplit).isEqualTo(stock.all(path(), length()));
    return this;
  }

  /** Equal names mean equal records, in both files. Returns how many chunks of this one are new. */
  int requireSameUnderSameName(CutFile before, StockReader stock)
      throws IOException, InterruptedException {
    Map<String, List<String>> known = new HashMap<>();
    before.readByChunk(stock).forEach(c -> known.put(c.getKey(), texts(c.getValue())));
    int fresh = 0;
    for (Map.Entry<String, List<Read>> chunk : readByChunk(stock)) {
      List<String> expected = known.get(chunk.getKey());
      if (expected == null) {
        fresh++;
      } else {
        assertThat(texts(chunk.getValue())).isEqualTo(expected);
      }
    }
    return fresh;
  }

  private static List<String> texts(List<Read> records) {
    return records.stream().map(Read::text).toList();
  }
}
