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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.freshet.shredder.Blake3Vectors;
import org.freshet.shredder.ChunkDigester.Piece;
import org.freshet.shredder.RunningDigest;
import org.freshet.shredder.UnfinishedDigest;
import org.junit.jupiter.api.Test;

/** The library's BLAKE3 is everybody's, on every level. */
abstract class Blake3Contract {
  private final InstructionLevel level;

  Blake3Contract(InstructionLevel level) {
    this.level = level;
  }

  @Test
  void itGivesThePublishedDigestsTogetherAndAlone() {
    NativeBlake3 blake3 = new NativeBlake3(level);
    List<UnfinishedDigest> all = new ArrayList<>();
    Blake3Vectors.digests()
        .forEach(
            (length, digest) -> {
              ByteBuffer bytes = ByteBuffer.wrap(Blake3Vectors.input(length));
              Piece piece = new Piece(bytes, 0, length);
              all.add(new UnfinishedDigest(List.of(piece)));
              RunningDigest running = blake3.start();
              running.update(piece);
              assertThat(running.end()).as("%d bytes", length).isEqualTo(digest);
            });

    blake3.digest(all);

    assertThat(all.stream().map(UnfinishedDigest::digest).toArray(byte[][]::new))
        .isDeepEqualTo(Blake3Vectors.digests().values().toArray(byte[][]::new));
  }

  /** Any number of chunks, in any pieces, in any kind of buffer, so many bytes at a time. */
  @Property(tries = 200)
  void itGivesWhatAnotherLibraryGives(
      @ForAll @IntRange(max = 60) int count,
      @ForAll @IntRange(min = 1, max = 1 << 20) int most,
      @ForAll long seed) {
    Random random = new Random(seed);
    NativeBlake3 blake3 = new NativeBlake3(level, most);
    List<byte[]> expected = new ArrayList<>();
    List<byte[]> alone = new ArrayList<>();
    List<UnfinishedDigest> all = new ArrayList<>();
    RunningDigest running = blake3.start();
    for (int i = 0; i < count; i++) {
      boolean isLong = random.nextInt(16) == 0;
      int length = random.nextInt(isLong ? 600_000 : 1 + random.nextInt(20_000));
      byte[] bytes = Noise.bytes(length, random.nextLong());
      List<Piece> pieces = divide(bytes, random);
      expected.add(Blake3Vectors.expected(bytes, 0, length));
      all.add(new UnfinishedDigest(pieces));
      pieces.forEach(running::update);
      alone.add(running.end());
    }

    blake3.digest(all);

    assertThat(all.stream().map(UnfinishedDigest::digest).toArray(byte[][]::new))
        .isDeepEqualTo(expected.toArray(byte[][]::new));
    assertThat(all).allMatch(chunk -> chunk.pieces() == 0);
    assertThat(alone.toArray(byte[][]::new)).isDeepEqualTo(expected.toArray(byte[][]::new));
  }

  /** Pieces of all lengths, some empty, behind other bytes. */
  private static List<Piece> divide(byte[] bytes, Random random) {
    List<Piece> pieces = new ArrayList<>();
    for (int at = 0, to; at < bytes.length || random.nextInt(4) == 0; at = to) {
      int rest = bytes.length - at;
      to = at + Math.min(rest, random.nextInt(random.nextBoolean() ? 2000 : rest + 1));
      int before = random.nextInt(70);
      ByteBuffer buffer =
          random.nextBoolean()
              ? ByteBuffer.allocate(before + to - at + 3).slice(3, before + to - at)
              : ByteBuffer.allocateDirect(before + to - at);
      buffer.put(before, bytes, at, to - at);
      pieces.add(
          new Piece(
              random.nextInt(8) == 0 ? buffer.asReadOnlyBuffer() : buffer,
              before,
              before + to - at));
    }
    return pieces;
  }

  @Test
  void hostileArgumentsAreRefused() {
    int code = level.code();
    byte[][] arrays = {new byte[100]};
    ByteBuffer[] none = {null};
    int[] places = {0, 0, 100};
    int[] ends = {1};
    byte[] digests = new byte[32];
    for (int wrong : new int[] {-1, 3, 1 << 20, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> NativeCalls.blake3(wrong, arrays, none, places, ends, digests))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NativeCalls.blake3Update(wrong, state(), arrays[0], null, 0, 100))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NativeCalls.blake3End(wrong, state(), digests))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (int[] beyond : new int[][] {{0, 0, 101}, {0, -1, 3}, {1, 0, 3}, {-1, 0, 3}, {0, 5, 4}}) {
      assertThatThrownBy(() -> NativeCalls.blake3(code, arrays, none, beyond, ends, digests))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    for (int[] beyond : new int[][] {{0, 101}, {-1, 3}, {5, 4}, {-9, -3}}) {
      assertThatThrownBy(
              () -> NativeCalls.blake3Update(code, state(), arrays[0], null, beyond[0], beyond[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> NativeCalls.blake3(code, arrays, none, places, ends, new byte[31]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeCalls.blake3(code, arrays, none, places, ends, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.blake3Update(code, new byte[5], arrays[0], null, 0, 100))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeCalls.blake3Update(code, null, arrays[0], null, 0, 100))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.blake3Update(code, state(), null, null, 0, 100))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.blake3End(code, state(), new byte[33]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] state() {
    return new byte[NativeCalls.blake3StateBytes()];
  }

  /** Whatever bytes a state has, the library refuses it or goes on with it. */
  @Property(tries = 200)
  void noStateMakesTrouble(@ForAll long seed) {
    byte[] state = Noise.bytes(NativeCalls.blake3StateBytes(), seed);
    byte[] digest = new byte[32];
    try {
      NativeCalls.blake3Update(level.code(), state, new byte[5000], null, 0, 5000);
      NativeCalls.blake3End(level.code(), state, digest);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("no state of BLAKE3");
    }
  }

  /** Near the most leaves that a message can have, more bytes may be refused, but never its end. */
  @Test
  void aStateThatGoesOnCanEnd() {
    long mostLeaves = Long.divideUnsigned(-1L, 2048);
    for (int missing : new int[] {0, 1, 4, 4999, 5000}) {
      byte[] state = state();
      ByteBuffer.wrap(state)
          .order(ByteOrder.nativeOrder())
          .putLong(mostLeaves - missing)
          .putInt(1024);
      if (missing < 5000) {
        byte[] before = state.clone();
        assertThatThrownBy(
                () -> NativeCalls.blake3Update(level.code(), state, new byte[5000], null, 0, 5000))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(state).isEqualTo(before);
      } else {
        NativeCalls.blake3Update(level.code(), state, new byte[5000], null, 0, 5000);
      }
      NativeCalls.blake3End(level.code(), state, new byte[32]);
    }
  }

  @Test
  void whatOthersBeganItDoesNotGoOnWith() {
    UnfinishedDigest chunk =
        new UnfinishedDigest(List.of(new Piece(ByteBuffer.allocate(200), 0, 200)));
    chunk.advance(64, new int[8], 0);

    assertThatThrownBy(() -> new NativeBlake3(level).digest(List.of(chunk)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
