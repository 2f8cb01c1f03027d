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

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;

/**
 * Files whose record boundaries the bytes before them or the offset tell, and whose bytes are
 * digested as they are.
 *
 * @param name says how records are read; equal alignments may serve different ways
 * @param alignment finds the boundaries
 * @param splitLag length of what ends a record, where a reader of a split looks for it
 */
record AlignedFormat(String name, RecordAlignment alignment, int splitLag) implements RecordFormat {
  @Override
  public String fingerprint(ChunkerConfig sizes) {
    return sizes.with(alignment).fingerprint();
  }

  @Override
  public boolean hasHeader() {
    return false;
  }

  @Override
  public Optional<List<Chunk>> chunks(
      ByteSource source, ChunkerConfig sizes, ExecutorService executor, int parallelism)
      throws IOException {
    Chunker chunker = new Chunker(sizes.with(alignment));
    return Optional.of(chunker.chunk(source, executor, parallelism));
  }
}
