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
package org.freshet.shredder.nativ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.ChunkDigester.Piece;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.RunningDigest;
import org.freshet.shredder.UnfinishedDigest;
import org.junit.jupiter.api.Test;

/** What is digested by the library, and what by the JDK. */
@NeedsNative
class NativeDigesterTest {
  private static final int FORMS = DigestForm.upTo(InstructionLevel.best());

  @Test
  void kindsOfBuffersMakeNoDifference() {
    assumeThat(FORMS).isNotZero();
    ChunkDigester java = Backends.named("java").digester(DigestAlgorithm.SHA_256);
    ChunkDigester digester = new NativeDigester(FORMS, java);
    byte[] bytes = Noise.bytes(100_000, 6);
    int[] even = IntStream.rangeClosed(1, 40).map(i -> 17 + 2000 * i).toArray();
    int[] uneven = {20, 90_000, 90_010};
    ByteBuffer shifted = ByteBuffer.allocate(bytes.length + 5).put(5, bytes).slice(5, 100_000);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    for (int[] ends : new int[][] {even, uneven, {90_000}, {}}) {
      byte[][] expected = digests(java, whole(ByteBuffer.wrap(bytes), 17, ends));
      for (ByteBuffer buffer :
          new ByteBuffer[] {
            shifted, shifted.asReadOnlyBuffer(), direct, direct.asReadOnlyBuffer()
          }) {
        buffer.position(3).limit(4);
        assertThat(digests(digester, whole(buffer, 17, ends))).isDeepEqualTo(expected);
        assertThat(buffer.position()).isEqualTo(3);
        assertThat(buffer.limit()).isEqualTo(4);
      }
    }
  }

  @Test
  void aChunkMayLieInSeveralKindsOfBuffers() {
    assumeThat(FORMS).isNotZero();
    ChunkDigester java = Backends.named("java").digester(DigestAlgorithm.SHA_256);
    byte[] bytes = Noise.bytes(1000, 6);
    ByteBuffer shifted = ByteBuffer.allocate(1005).put(5, bytes).slice(5, 1000);
    ByteBuffer direct = ByteBuffer.allocateDirect(1000).put(0, bytes);
    List<Piece> mixed =
        List.of(
            new Piece(shifted, 0, 10),
            new Piece(direct, 10, 75),
            new Piece(direct, 75, 75),
            new Piece(shifted, 75, 1000));
    List<List<Piece>> chunks = List.of(mixed, List.of(), mixed, mixed);
    byte[][] expected =
        digests(java, whole(ByteBuffer.wrap(bytes), 0, new int[] {1000, 1000, 1000, 1000}));
    expected[1] = digests(java, List.of(List.of()))[0];
    expected[2] = expected[0];
    expected[3] = expected[0];

    assertThat(digests(new NativeDigester(FORMS, java), chunks)).isDeepEqualTo(expected);
    assertThat(digests(java, chunks)).isDeepEqualTo(expected);
  }

  @Test
  void oneChunkAloneIsLeftToTheJdk() {
    assumeThat(FORMS).isNotZero();
    List<Integer> left = new ArrayList<>();
    ChunkDigester java = Backends.named("java").digester(DigestAlgorithm.SHA_256);
    ChunkDigester digester =
        new NativeDigester(
            FORMS,
            new ChunkDigester() {
              @Override
              public RunningDigest start() {
                return java.start();
              }

              @Override
              public int width() {
                return 1;
              }

              @Override
              public void digest(List<UnfinishedDigest> chunks) {
                if (!chunks.isEmpty()) {
                  left.add(chunks.size());
                }
                java.digest(chunks);
              }
            });
    ByteBuffer array = ByteBuffer.wrap(Noise.bytes(3000, 3));

    digests(digester, whole(array, 0, new int[] {1000, 2000}));
    assertThat(left).isEmpty();

    digests(digester, whole(array, 0, new int[] {1000}));
    assertThat(left).containsExactly(1);

    // Nobody but the library can go on with what it has begun.
    int width = digester.width();
    int[] ends = IntStream.rangeClosed(1, width).map(i -> i == width ? 3000 : 64 * i).toArray();
    List<UnfinishedDigest> chunks =
        whole(array, 0, ends).stream().map(UnfinishedDigest::new).toList();
    digester.digestSome(chunks, width);
    List<UnfinishedDigest> begun =
        chunks.stream().filter(chunk -> !chunk.hasEnded() && chunk.done() > 0).toList();
    assertThat(begun).hasSize(1);
    digester.digest(begun);
    assertThat(left).containsExactly(1);
    assertThat(chunks.stream().map(UnfinishedDigest::digest).toArray(byte[][]::new))
        .isDeepEqualTo(digests(java, whole(array, 0, ends)));
  }

  private static byte[][] digests(ChunkDigester digester, List<List<Piece>> chunks) {
    List<UnfinishedDigest> digests = chunks.stream().map(UnfinishedDigest::new).toList();
    digester.digest(digests);
    return digests.stream().map(UnfinishedDigest::digest).toArray(byte[][]::new);
  }

  /** Chunks in one piece, that follow each other. */
  private static List<List<Piece>> whole(ByteBuffer bytes, int from, int[] ends) {
    List<List<Piece>> chunks = new ArrayList<>();
    int start = from;
    for (int end : ends) {
      chunks.add(List.of(new Piece(bytes, start, end)));
      start = end;
    }
    return chunks;
  }

  @Test
  void aLevelHasTheFormsOfItsInstructions() {
    assertThat(DigestForm.upTo(InstructionLevel.SCALAR)).isZero();
    assertThat(DigestForm.upTo(InstructionLevel.AVX2) & ~DigestForm.STREAMS.bit()).isZero();
    assertThat(DigestForm.upTo(InstructionLevel.AVX512)).isEqualTo(NativeCalls.digestForms());
  }

  @Test
  void streamsAreAlwaysWorthwhileAndLanesWhereThereIsNothingElse() {
    int all = DigestForm.upTo(InstructionLevel.AVX512);
    int worthwhile = DigestForm.worthwhileUpTo(InstructionLevel.AVX512);
    assertThat(worthwhile & ~all).isZero();
    assertThat(all & ~worthwhile & DigestForm.STREAMS.bit()).isZero();
    if (all != 0) {
      assertThat(worthwhile).isNotZero();
    }
    assertThat(DigestForm.worthwhileUpTo(InstructionLevel.SCALAR)).isZero();
  }

  @Test
  void theDescriptionSaysWhetherShaInstructionsAreUsed() throws BackendUnavailableException {
    assertThat(new NativeBackend(InstructionLevel.SCALAR).description())
        .isEqualTo("native: scalar");
    InstructionLevel best = InstructionLevel.best();
    assumeThat(best).isNotEqualTo(InstructionLevel.SCALAR);
    String description = new NativeBackend(best).description();
    assertThat(description.contains(" + SHA")).isEqualTo(DigestForm.STREAMS.isAvailable());
    int forms = DigestForm.worthwhileUpTo(best);
    boolean inManyLanes = DigestForm.MORE_LANES.isIn(forms);
    boolean inLanes = inManyLanes || DigestForm.LANES.isIn(forms);
    assertThat(description.endsWith("digests in 32 lanes")).isEqualTo(inManyLanes);
    assertThat(description.endsWith("digests in 16 lanes")).isEqualTo(inLanes && !inManyLanes);
    assertThat(description.endsWith("digests in 4 streams"))
        .isEqualTo(!inLanes && DigestForm.STREAMS_AVX512.isIn(forms));
  }

  @Test
  void ifMemoryIsShortFewerChunksFillTheNextForm() {
    int all = Arrays.stream(DigestForm.values()).mapToInt(DigestForm::bit).sum();
    NativeDigester digester =
        new NativeDigester(all, Backends.named("java").digester(DigestAlgorithm.SHA_256));

    assertThat(digester.width()).isEqualTo(32);
    assertThat(digester.narrower(32)).isEqualTo(16);
    assertThat(digester.narrower(16)).isEqualTo(4);
    assertThat(digester.narrower(4)).isEqualTo(3);
  }
}
