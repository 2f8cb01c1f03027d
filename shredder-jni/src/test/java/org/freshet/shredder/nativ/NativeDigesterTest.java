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
import java.util.List;
import java.util.stream.IntStream;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.ChunkDigester.Piece;
import org.junit.jupiter.api.Test;

/** What is digested by the library, and what by the JDK. */
@NeedsNative
class NativeDigesterTest {
  private static final int FORMS = DigestForm.upTo(InstructionLevel.best());

  @Test
  void kindsOfBuffersMakeNoDifference() {
    assumeThat(FORMS).isNotZero();
    ChunkDigester java = Backends.named("java").digester();
    ChunkDigester digester = new NativeDigester(FORMS, java);
    byte[] bytes = Noise.bytes(100_000, 6);
    int[] even = IntStream.rangeClosed(1, 40).map(i -> 17 + 2000 * i).toArray();
    int[] uneven = {20, 90_000, 90_010};
    ByteBuffer shifted = ByteBuffer.allocate(bytes.length + 5).put(5, bytes).slice(5, 100_000);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    for (int[] ends : new int[][] {even, uneven, {90_000}, {}}) {
      byte[][] expected = java.digest(whole(ByteBuffer.wrap(bytes), 17, ends));
      for (ByteBuffer buffer :
          new ByteBuffer[] {
            shifted, shifted.asReadOnlyBuffer(), direct, direct.asReadOnlyBuffer()
          }) {
        buffer.position(3).limit(4);
        assertThat(digester.digest(whole(buffer, 17, ends))).isDeepEqualTo(expected);
        assertThat(buffer.position()).isEqualTo(3);
        assertThat(buffer.limit()).isEqualTo(4);
      }
    }
  }

  @Test
  void aChunkMayLieInSeveralKindsOfBuffers() {
    assumeThat(FORMS).isNotZero();
    ChunkDigester java = Backends.named("java").digester();
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
        java.digest(whole(ByteBuffer.wrap(bytes), 0, new int[] {1000, 1000, 1000, 1000}));
    expected[1] = java.digest(List.of(List.of()))[0];
    expected[2] = expected[0];
    expected[3] = expected[0];

    assertThat(new NativeDigester(FORMS, java).digest(chunks)).isDeepEqualTo(expected);
    assertThat(java.digest(chunks)).isDeepEqualTo(expected);
  }

  /** Arrays are not locked for too long, and what remains is still digested, in order. */
  @Test
  void oneChunkAloneIsLeftToTheJdkAndSoIsALongOneInAnArray() {
    assumeThat(FORMS).isNotZero();
    List<Integer> left = new ArrayList<>();
    ChunkDigester java = Backends.named("java").digester();
    ChunkDigester digester =
        new NativeDigester(
            FORMS,
            new ChunkDigester() {
              @Override
              public boolean isFasterTogether() {
                return false;
              }

              @Override
              public byte[][] digest(List<List<Piece>> chunks) {
                left.add(chunks.size());
                return java.digest(chunks);
              }
            });
    int longest = 16 << 20;
    ByteBuffer array = ByteBuffer.wrap(Noise.bytes(3 * longest + 100, 3));
    ByteBuffer direct = ByteBuffer.allocateDirect(longest + 100);

    digester.digest(whole(array, 0, new int[] {1000}));
    assertThat(left).containsExactly(1);

    digester.digest(whole(array, 0, new int[] {1000, 2000}));
    digester.digest(whole(array, 9, new int[] {9 + longest, 50 + longest}));
    digester.digest(whole(direct, 0, new int[] {longest + 1, longest + 2}));
    digester.digest(whole(array, 0, new int[] {longest, 2 * longest}));
    assertThat(left).containsExactly(1);

    List<List<Piece>> longFirst =
        whole(array, 0, new int[] {longest + 1, longest + 2, longest + 3});
    assertThat(digester.digest(longFirst)).isDeepEqualTo(java.digest(longFirst));
    assertThat(left).containsExactly(1, 1);

    List<List<Piece>> tooMany = whole(array, 0, new int[] {longest, 2 * longest, 3 * longest});
    assertThat(digester.digest(tooMany)).isDeepEqualTo(java.digest(tooMany));
    assertThat(left).containsExactly(1, 1, 1);
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
  void theDescriptionSaysWhetherShaInstructionsAreUsed() throws BackendUnavailableException {
    assertThat(new NativeBackend(InstructionLevel.SCALAR).description())
        .isEqualTo("native: scalar");
    InstructionLevel best = InstructionLevel.best();
    assumeThat(best).isNotEqualTo(InstructionLevel.SCALAR);
    assertThat(new NativeBackend(best).description().endsWith(" + SHA"))
        .isEqualTo(DigestForm.STREAMS.isAvailable());
  }
}
