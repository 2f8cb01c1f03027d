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
package org.freshet.hdfs.index;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.SourceChangedException;

/**
 * Chunks files that are not in the index. What it gives belongs to one version: a file that changes
 * meanwhile is read again.
 */
final class FileReading {
  private static final int MAX_RETRIES = 3;
  private static final int BUFFER_BYTES = 1 << 20;

  private final Cutting cutting;
  private final ChunkMode mode;
  private final ExecutorService executor;
  private final InstantSource clock;
  private final ReadingProgress progress;

  FileReading(
      Cutting cutting,
      ChunkMode mode,
      ExecutorService executor,
      InstantSource clock,
      ReadingProgress progress) {
    this.cutting = cutting;
    this.mode = mode;
    this.executor = executor;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * A file's chunks.
   *
   * @param settled whether the version read will stay what it is, and may be kept
   */
  record Result(FileChunks chunks, boolean settled) {}

  /**
   * Reads a file until it holds still.
   *
   * @param parallelism threads of the executor to use; if not 1, the caller must be none of them
   * @throws SourceChangedException if it keeps changing
   * @throws IOException if it cannot be read
   */
  Result read(FileSystem fs, Path file, int parallelism) throws IOException {
    SourceChangedException last = null;
    for (int attempt = 0; attempt <= MAX_RETRIES; attempt++) {
      // Judged by when reading begins: what changes in the same tick of the clock may come after.
      long begunMillis = clock.millis();
      FileVersion before = FileVersion.observe(fs, file);
      FileStatus status = fs.getFileStatus(file);
      try {
        HadoopSource source = new HadoopSource(fs, status, progress);
        List<Chunk> chunks = chunks(source, parallelism);
        FileVersion after = FileVersion.observe(fs, file);
        if (after.sameContent(before)) {
          progress.fileRead();
          FileChunks result =
              new FileChunks(file, after, mode, status.getLen(), source.startsWithBom(), chunks);
          return new Result(result, after.settled(begunMillis));
        }
        last = new SourceChangedException("Version " + before + " became " + after);
      } catch (SourceChangedException e) {
        last = e;
      }
    }
    throw new SourceChangedException(
        file + " changed each of the " + (MAX_RETRIES + 1) + " times it was read", last);
  }

  /**
   * What the chunks of a file would be if it were cut where {@code like} says.
   *
   * @throws IOException if it cannot be read, or is shorter
   */
  List<Chunk> digest(FileSystem fs, Path file, List<Chunk> like) throws IOException {
    HadoopSource source = new HadoopSource(fs, fs.getFileStatus(file), progress);
    List<Chunk> chunks = new ArrayList<>();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = source.open(0)) {
      for (Chunk chunk : like) {
        MessageDigest sha256 = Sha256.start();
        for (long left = chunk.length(); left > 0; ) {
          int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
          if (count < 0) {
            throw new SourceChangedException(file + " ends before " + chunk.end());
          }
          sha256.update(buffer, 0, count);
          left -= count;
        }
        chunks.add(new Chunk(chunk.offset(), chunk.length(), sha256.digest()));
      }
    }
    return chunks;
  }

  /** Cuts a file; empty if it is to be left whole. */
  interface Cutting {
    static Cutting by(Chunker chunker) {
      return (source, executor, parallelism) ->
          Optional.of(chunker.chunk(source, executor, parallelism));
    }

    Optional<List<Chunk>> chunks(HadoopSource source, ExecutorService executor, int parallelism)
        throws IOException;
  }

  private List<Chunk> chunks(HadoopSource source, int parallelism) throws IOException {
    Optional<List<Chunk>> chunks = cutting.chunks(source, executor, parallelism);
    return chunks.isPresent() ? chunks.get() : whole(source);
  }

  private static List<Chunk> whole(HadoopSource source) throws IOException {
    MessageDigest sha256 = Sha256.start();
    long length = 0;
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = source.open(0)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        sha256.update(buffer, 0, count);
        length += count;
      }
    }
    if (length != source.length()) {
      throw new SourceChangedException(
          "The source has " + length + " bytes, not its length of " + source.length());
    }
    return length == 0 ? List.of() : List.of(new Chunk(0, length, sha256.digest()));
  }
}
