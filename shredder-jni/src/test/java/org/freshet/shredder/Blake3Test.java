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

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class Blake3Test {
  @Test
  void givesThePublishedDigests() {
    Blake3 blake3 = new Blake3();
    Blake3Vectors.digests()
        .forEach(
            (length, digest) -> {
              blake3.update(whole(ByteBuffer.wrap(Blake3Vectors.input(length))));

              assertThat(blake3.end()).as("%d bytes", length).isEqualTo(digest);
            });
  }

  /** In any pieces, from any kind of buffer. */
  @Property(tries = 100)
  void givesWhatAnotherLibraryGives(@ForAll @IntRange(max = 70_000) int length, @ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = Sources.random(length, seed);
    ByteBuffer direct = ByteBuffer.allocateDirect(length).put(0, bytes);
    Blake3 blake3 = new Blake3();
    for (int at = 0, to; at < length; at = to) {
      to = at + 1 + random.nextInt(Math.min(length - at, random.nextBoolean() ? 100 : 5000));
      ByteBuffer from = random.nextBoolean() ? direct : ByteBuffer.wrap(bytes).asReadOnlyBuffer();
      // Neither is heeded.
      from.position(length);
      blake3.update(new ChunkDigester.Piece(from, at, to));
    }

    assertThat(blake3.end()).isEqualTo(Blake3Vectors.expected(bytes, 0, length));
  }

  private static ChunkDigester.Piece whole(ByteBuffer bytes) {
    return new ChunkDigester.Piece(bytes, 0, bytes.capacity());
  }
}
