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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundarySelectorTest {
  private static final ChunkerConfig CONFIG = new ChunkerConfig(100, 200, 300);

  private final List<Long> cuts = new ArrayList<>();

  private List<Long> select(RecordAlignment alignment, byte[] bytes, int... candidates) {
    BoundarySelector selector = new BoundarySelector(CONFIG, alignment);
    selector.accept(bytes, 0, bytes.length, 0, candidates, cuts::add);
    selector.finish(bytes.length, cuts::add);
    return cuts;
  }

  @Test
  void takesTheFirstCandidateAtOrAfterTheMinimum() {
    assertThat(select(RecordAlignment.none(), new byte[350], 99, 100, 150, 199, 201, 301))
        .containsExactly(100L, 201L, 301L, 350L);
  }

  @Test
  void cutsAtTheMaximumWhereNoCandidateIs() {
    assertThat(select(RecordAlignment.none(), new byte[1000], 650))
        .containsExactly(300L, 600L, 900L, 1000L);
  }

  @Test
  void takesACandidateAtTheMaximumButNotBeyond() {
    assertThat(select(RecordAlignment.none(), new byte[700], 300, 601))
        .containsExactly(300L, 600L, 700L);
  }

  @Test
  void movesACutToTheEndOfTheLineItIsIn() {
    byte[] bytes = new byte[400];
    bytes[130] = '\n';
    bytes[260] = '\n';

    assertThat(select(RecordAlignment.lines(), bytes, 120, 231)).containsExactly(131L, 261L, 400L);
  }

  @Test
  void leavesACutThatIsAtTheStartOfALine() {
    byte[] bytes = new byte[200];
    bytes[119] = '\n';
    bytes[120] = '\n';

    assertThat(select(RecordAlignment.lines(), bytes, 120)).containsExactly(120L, 200L);
  }

  @Test
  void exceedsTheMaximumByTheRestOfTheLineOnly() {
    byte[] bytes = new byte[1000];
    bytes[310] = '\n';
    bytes[311] = '\n';
    bytes[950] = '\n';

    assertThat(select(RecordAlignment.lines(), bytes)).containsExactly(311L, 951L, 1000L);
  }

  @Test
  void doesNotCutAtALoneCarriageReturn() {
    byte[] bytes = new byte[1000];
    Arrays.fill(bytes, (byte) '\r');

    assertThat(select(RecordAlignment.lines(), bytes, 100, 200)).containsExactly(1000L);
  }

  @Test
  void countsBeyondFourGigabytes() {
    long gib = 1L << 30;
    ChunkerConfig large = new ChunkerConfig(1 << 29, 1 << 30, 3 << 29);
    BoundarySelector selector = new BoundarySelector(large, RecordAlignment.lines());
    byte[] mebibyte = new byte[64 + (1 << 20)];
    mebibyte[64 + 1000] = '\n';
    for (long offset = 0; offset < 6 * gib; offset += 1 << 20) {
      selector.accept(mebibyte, 64, mebibyte.length, offset, new int[0], cuts::add);
    }
    selector.finish(6 * gib, cuts::add);

    // Cut by the maximum of 1.5 GiB, and then at the line that ends 1001 bytes into a MiB; the next
    // maximum counts from there and falls right on such an end.
    assertThat(cuts)
        .containsExactly(3 * gib / 2 + 1001, 3 * gib + 1001, 9 * gib / 2 + 1001, 6 * gib);
  }

  @Test
  void refusesAnAlignmentThatLooksBackTooFar() {
    RecordAlignment far =
        new RecordAlignment() {
          @Override
          public String name() {
            return "far";
          }

          @Override
          public int lookBehind() {
            return 65;
          }

          @Override
          public Search searchFrom(long position) {
            return (bytes, from, to) -> from;
          }
        };

    assertThatThrownBy(() -> new BoundarySelector(CONFIG, far))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("far")
        .hasMessageContaining("65");
  }
}
