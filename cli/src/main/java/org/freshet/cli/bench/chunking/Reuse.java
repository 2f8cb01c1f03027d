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
package org.freshet.cli.bench.chunking;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How much of a text is recognized after an edit: the share of its bytes that lie in chunks whose
 * content the text before had as a chunk, too. An immutable value.
 *
 * @param percent of the bytes of the edited text
 * @param meanChunk of the edited text, in bytes: smaller chunks recognize more, and cost more
 */
record Reuse(double percent, double meanChunk) {
  /** A way to cut a file. */
  interface Cutting {
    /** The ends of the chunks. */
    List<Long> cuts(Path file) throws IOException, InterruptedException;
  }

  /** Of the text {@code after} the edit, with what was there {@code before}. */
  static Reuse of(Cutting cutting, Path before, Path after)
      throws IOException, InterruptedException {
    Set<ByteBuffer> known = new HashSet<>();
    forEachChunk(before, cutting.cuts(before), (digest, length) -> known.add(digest));
    long[] reused = new long[1];
    List<Long> cuts = cutting.cuts(after);
    forEachChunk(after, cuts, (digest, length) -> reused[0] += known.contains(digest) ? length : 0);
    double bytes = Files.size(after);
    return new Reuse(100 * reused[0] / bytes, bytes / cuts.size());
  }

  private interface ChunkAction {
    void accept(ByteBuffer digest, long length);
  }

  private static void forEachChunk(Path file, List<Long> cuts, ChunkAction action)
      throws IOException {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      long start = 0;
      for (long end : cuts) {
        sha256.update(bytes.slice((int) start, (int) (end - start)));
        action.accept(ByteBuffer.wrap(sha256.digest()), end - start);
        start = end;
      }
      if (start != channel.size()) {
        throw new IOException(
            "the chunks of " + file + " end at " + start + ", expected " + channel.size());
      }
    }
  }
}
