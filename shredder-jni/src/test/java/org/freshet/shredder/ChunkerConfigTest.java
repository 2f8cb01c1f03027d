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
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ChunkerConfigTest {
  @Test
  void averageGivesMinimumAndMaximum() {
    assertThat(ChunkerConfig.withAverage(4 << 20))
        .isEqualTo(ChunkerConfig.of(2 << 20, 4 << 20, 16 << 20));
    assertThat(ChunkerConfig.withAverage(128)).isEqualTo(ChunkerConfig.of(64, 128, 512));
    assertThat(ChunkerConfig.withAverage(4)).isEqualTo(ChunkerConfig.of(2, 4, 16));
    assertThat(ChunkerConfig.withAverage(Integer.MAX_VALUE / 4).maxSize()).isPositive();
  }

  @Test
  void refusesSizesOutOfOrder() {
    assertThatThrownBy(() -> ChunkerConfig.of(0, 200, 400))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> ChunkerConfig.of(-1, Integer.MAX_VALUE - 1, Integer.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not -1");
    assertThatThrownBy(() -> ChunkerConfig.of(100, 101, 200))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 101");
    assertThatThrownBy(() -> ChunkerConfig.of(100, 200, 200))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 200");
    assertThatThrownBy(() -> ChunkerConfig.withAverage(3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 3");
    assertThatThrownBy(() -> ChunkerConfig.withAverage(1 << 29))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fingerprintOfLinesIsWhatChunkListsHaveBeenKeptUnder() {
    assertThat(ChunkerConfig.of(100, 200, 900).with(RecordAlignment.lines()).fingerprint())
        .isEqualTo("gear64-1/min=100,avg=200,max=900");
  }

  @Test
  void largeChunksAreCutBySievedGearUnlessPlainGearIsAskedFor() {
    assertThat(ChunkerConfig.withAverage(8192).fingerprint())
        .isEqualTo("gear64s-1/min=4096,avg=8192,max=32768/unaligned");
    assertThat(ChunkerConfig.builder().averageSize(8192).build())
        .isEqualTo(ChunkerConfig.withAverage(8192));
    assertThat(ChunkerConfig.builder().plainGear().averageSize(8192).build().fingerprint())
        .isEqualTo("gear64-1/min=4096,avg=8192,max=32768/unaligned");
    assertThat(ChunkerConfig.of(1000, 3047, 9000).fingerprint()).startsWith("gear64-1/");
    assertThat(ChunkerConfig.of(1000, 3048, 9000).fingerprint()).startsWith("gear64s-1/");
  }

  @Test
  void fingerprintNamesTheDigestUnlessItIsTheUsualOne() {
    ChunkerConfig usual = ChunkerConfig.withAverage(8192);
    ChunkerConfig other = usual.with(DigestAlgorithm.BLAKE3);

    assertThat(usual.digest()).isEqualTo(DigestAlgorithm.SHA_256);
    assertThat(other.fingerprint()).isEqualTo(usual.fingerprint() + "/blake3");
    assertThat(other).isNotEqualTo(usual);
    assertThat(other.with(RecordAlignment.lines()).digest()).isEqualTo(DigestAlgorithm.BLAKE3);
    assertThat(other.with(DigestAlgorithm.SHA_256)).isEqualTo(usual);
    assertThat(ChunkerConfig.builder().averageSize(8192).digest(DigestAlgorithm.BLAKE3).build())
        .isEqualTo(other);
  }

  @Test
  void fingerprintNamesRuleSizesAndAlignment() {
    assertThat(ChunkerConfig.of(100, 200, 900).fingerprint())
        .isEqualTo("gear64-1/min=100,avg=200,max=900/unaligned");
    assertThat(
            ChunkerConfig.builder()
                .rabin()
                .maskBits(13)
                .marker(0x78)
                .minSize(2048)
                .alignment(RecordAlignment.fixedLength(100, 12))
                .build()
                .fingerprint())
        .isEqualTo(
            "rabin-1/polynomial=3da3358b4dc173,window=48,bits=13,marker=78"
                + "/min=2048,max=9223372036854775807/fixed(100,12)");
    assertThat(ChunkerConfig.builder().maskBits(8).marker(1).maxSize(9000).build().fingerprint())
        .isEqualTo("gear64-1/first=100000000000000,width=100000000000000/min=1,max=9000/unaligned");
  }

  @Test
  void builderByAverageGivesWhatWithAverageGives() {
    assertThat(ChunkerConfig.builder().averageSize(1000).build())
        .isEqualTo(ChunkerConfig.withAverage(1000))
        .hasSameHashCodeAs(ChunkerConfig.withAverage(1000))
        .isNotEqualTo(ChunkerConfig.withAverage(1001));
    assertThat(ChunkerConfig.builder().gear().averageSize(200).minSize(100).maxSize(900).build())
        .isEqualTo(ChunkerConfig.of(100, 200, 900));
  }

  @Test
  void publishedSystemHasNeitherMinimumNorMaximum() {
    ChunkerConfig published = ChunkerConfig.builder().rabin().maskBits(13).marker(0x78).build();

    assertThat(published.rule()).isEqualTo(CandidateRule.Rabin.published(13, 0x78));
    assertThat(published.minSize()).isEqualTo(1);
    assertThat(published.maxSize()).isEqualTo(ChunkerConfig.NO_MAXIMUM);
    assertThat(published.alignment()).isEqualTo(RecordAlignment.none());
  }

  @Test
  void rabinByAverageComesOutExact() {
    for (int average : new int[] {4, 5, 1000, 4096, 10_000, 1 << 20}) {
      ChunkerConfig config = ChunkerConfig.builder().rabin().averageSize(average).build();

      assertThat(config.minSize() + config.rule().meanGap()).isEqualTo(average);
      assertThat(config.minSize()).isBetween(average / 2, 3 * average / 4 + 1);
    }
    ChunkerConfig config =
        ChunkerConfig.builder().rabin(0b10_0000_0011, 16).averageSize(300).minSize(44).build();
    assertThat(config.rule()).isEqualTo(new CandidateRule.Rabin(0b10_0000_0011, 16, 8, 0));
  }

  @Test
  void builderRefusesContradictions() {
    assertRefused(ChunkerConfig.builder(), "averageSize or maskBits");
    assertRefused(ChunkerConfig.builder().averageSize(1000).maskBits(10), "not both");
    assertRefused(ChunkerConfig.builder().averageSize(1000).marker(1), "maskBits");
    assertRefused(ChunkerConfig.builder().averageSize(1000).minSize(999), "not 999");
    assertRefused(ChunkerConfig.builder().averageSize(1000).minSize(0), "not 0");
    assertRefused(ChunkerConfig.builder().averageSize(1000).maxSize(1000), "not 1000");
    assertRefused(ChunkerConfig.builder().averageSize(3), "not 3");
    assertRefused(ChunkerConfig.builder().averageSize(Integer.MIN_VALUE), "averageSize");
    assertRefused(ChunkerConfig.builder().rabin().averageSize(1000).minSize(500), "not 500");
    assertRefused(ChunkerConfig.builder().maskBits(13).minSize(0), "not 0");
    assertRefused(ChunkerConfig.builder().maskBits(13).minSize(900).maxSize(899), "not 899");
    assertRefused(ChunkerConfig.builder().maskBits(60), "not 60");
    assertRefused(ChunkerConfig.builder().rabin().maskBits(4).marker(16), "0x10");
    assertRefused(ChunkerConfig.builder().rabin(0x1000, 48).maskBits(4), "irreducible");
  }

  private static void assertRefused(ChunkerConfigBuilder builder, String saying) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining(saying);
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

    assertThatThrownBy(() -> ChunkerConfig.withAverage(1000).with(far))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("far")
        .hasMessageContaining("65");
  }
}
