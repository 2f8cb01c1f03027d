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
package org.freshet.shredder;

import java.util.Optional;

/**
 * A way to search for candidates: in Java, in native code, on a GPU. All give the same candidates
 * for the same rule and content, bit for bit. Immutable and safe for use by several threads; to be
 * had from {@link Backends}.
 */
public interface Backend {
  /** Its name, as in {@link Backends#named}: {@code java}, {@code native} or {@code cuda}. */
  String name();

  /** Name and what it runs on, for people: {@code native: AVX-512 + GFNI}. */
  String description();

  /** A finder of the candidates by {@code rule}. */
  CandidateFinder finder(CandidateRule rule);

  /** What computes the digests of chunks; by default in Java. */
  default ChunkDigester digester(DigestAlgorithm algorithm) {
    return JavaDigester.of(algorithm);
  }

  /**
   * Whether finders and digester get at bytes outside the heap as fast as at arrays: sources that
   * fill direct buffers are then read into these, as far as there is room.
   */
  default boolean prefersDirect() {
    return false;
  }

  /**
   * A search of whole sources that this backend drives itself, with threads and buffers of its own;
   * empty where its finder is to be run by the chunker.
   */
  default Optional<SegmentSearch.Factory> pipeline() {
    return Optional.empty();
  }
}
