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
package org.freshet.shredder.cuda;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.freshet.shredder.CandidateFinder;

/**
 * Finds candidates on a device in content that is in memory already, one buffer after the other. A
 * whole source is faster through {@link CudaPipeline}.
 */
final class CudaFinder implements CandidateFinder {
  private final BufferSearch search;
  private final SearchKernel kernel;
  private final CandidateFinder onProcessor;
  private final PinnedPool pool;
  private final CudaSettings settings;
  private final AtomicLong turn = new AtomicLong();

  CudaFinder(
      BufferSearch search,
      SearchKernel kernel,
      CandidateFinder onProcessor,
      PinnedPool pool,
      CudaSettings settings) {
    this.search = search;
    this.kernel = kernel;
    this.onProcessor = onProcessor;
    this.pool = pool;
    this.settings = settings;
  }

  @Override
  public int window() {
    return kernel.window();
  }

  @Override
  public int[] find(byte[] bytes, int from, int to) {
    return find(ByteBuffer.wrap(bytes), from, to);
  }

  @Override
  public int[] find(ByteBuffer bytes, int from, int to) {
    Objects.checkFromToIndex(from, to, bytes.capacity());
    if (from < kernel.window() - 1) {
      throw new IndexOutOfBoundsException(
          "The first window needs " + (kernel.window() - 1) + " bytes before it, not " + from);
    }
    if (to - from < settings.leastBytes()) {
      return onProcessor.find(bytes, from, to);
    }
    return bytes.isDirect() ? findInDirect(bytes, from, to) : findInHeap(bytes, from, to);
  }

  private int[] findInDirect(ByteBuffer bytes, int from, int to) {
    List<int[]> pieces = new ArrayList<>();
    for (int start = from; start < to; ) {
      int end = start + Math.min(settings.bufferBytes(), to - start);
      pieces.add(search.search(turn.getAndIncrement(), kernel, onProcessor, bytes, start, end));
      start = end;
    }
    return joined(pieces);
  }

  /** Copies cannot start on the heap, where the collector moves things about. */
  private int[] findInHeap(ByteBuffer bytes, int from, int to) {
    int lead = kernel.window() - 1;
    List<int[]> pieces = new ArrayList<>();
    ByteBuffer whole = bytes.duplicate().clear();
    PinnedPool.HostBuffer staging = pool.take();
    try {
      for (int start = from; start < to; ) {
        int end = start + Math.min(settings.bufferBytes(), to - start);
        int origin = start - lead;
        staging.bytes().put(0, whole, origin, end - origin);
        int[] found =
            search.search(
                turn.getAndIncrement(), kernel, onProcessor, staging.bytes(), lead, end - origin);
        for (int i = 0; i < found.length; i++) {
          found[i] += origin;
        }
        pieces.add(found);
        start = end;
      }
    } finally {
      pool.give(staging);
    }
    return joined(pieces);
  }

  private static int[] joined(List<int[]> pieces) {
    return pieces.size() == 1
        ? pieces.get(0)
        : pieces.stream().flatMapToInt(IntStream::of).toArray();
  }
}
