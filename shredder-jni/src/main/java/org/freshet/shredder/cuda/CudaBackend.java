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

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.freshet.shredder.Backend;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.SegmentSearch;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaDriver;

/**
 * The devices of this JVM. Memory on them is taken when a search first needs it and kept for the
 * next: about two buffers on each device and a ring of page-locked ones on the host.
 */
final class CudaBackend implements Backend, AutoCloseable {
  static final String NAME = "cuda";

  private final BufferSearch search;
  private final PinnedPool pool;
  private final CudaSettings settings;
  private final Backend onProcessor;
  private final String description;

  /**
   * A backend on devices, which it closes.
   *
   * @param devices at least one
   * @param onProcessor finds what a device fails to, and digests
   * @param driverVersion as {@link CudaDriver#version()} tells it
   */
  CudaBackend(
      List<CudaDevice> devices, CudaSettings settings, Backend onProcessor, int driverVersion) {
    this.search =
        new BufferSearch(
            devices.stream()
                .map(d -> new SearchDevice(d, settings.bufferBytes(), Chunker.HALO))
                .toList(),
            settings.leastBytes());
    this.pool =
        new PinnedPool(
            devices.get(0),
            Chunker.HALO + settings.bufferBytes(),
            CudaPipeline.ringSize(settings, devices.size()));
    this.settings = settings;
    this.onProcessor = onProcessor;
    String names = devices.stream().map(CudaDevice::name).collect(Collectors.joining(", "));
    this.description =
        "%s: %s, driver for CUDA %d.%d"
            .formatted(NAME, names, driverVersion / 1000, driverVersion % 1000 / 10);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public CandidateFinder finder(CandidateRule rule) {
    return new CudaFinder(search, kernel(rule), onProcessor.finder(rule), pool, settings);
  }

  @Override
  public ChunkDigester digester(DigestAlgorithm algorithm) {
    return onProcessor.digester(algorithm);
  }

  @Override
  public Optional<SegmentSearch.Factory> pipeline() {
    return Optional.of(
        (source, rule) ->
            new CudaPipeline(
                source, search, kernel(rule), onProcessor.finder(rule), pool, settings));
  }

  private SearchKernel kernel(CandidateRule rule) {
    return SearchKernel.of(rule, settings.loads());
  }

  /** Finds on the processor what a device fails to. */
  CandidateFinder finderOnProcessor(CandidateRule rule) {
    return onProcessor.finder(rule);
  }

  /** A page-locked buffer of {@link Chunker#HALO} and the settings' bytes. */
  PinnedPool.HostBuffer takeBuffer() {
    return pool.take();
  }

  void giveBuffer(PinnedPool.HostBuffer buffer) {
    pool.give(buffer);
  }

  /** What has been searched where. */
  BufferSearch search() {
    return search;
  }

  /** Gives all memory and the devices back. No search may be under way. */
  @Override
  public void close() {
    pool.close();
    search.close();
  }
}
