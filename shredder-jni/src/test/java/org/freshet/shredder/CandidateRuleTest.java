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
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class CandidateRuleTest {
  private static final long POLYNOMIAL = CandidateRule.Rabin.POLYNOMIAL;

  @Provide
  Arbitrary<CandidateRule> rules() {
    return Rules.dense();
  }

  @Property
  void namesDifferWhereRulesDo(
      @ForAll("rules") CandidateRule one, @ForAll("rules") CandidateRule other) {
    assertThat(one.name().equals(other.name())).isEqualTo(one.equals(other));
  }

  @Property(tries = 40)
  void candidatesOfRandomContentAreAsFarApartAsTheRuleSays(
      @ForAll("rules") CandidateRule rule, @ForAll long seed) {
    byte[] bytes = Sources.random(1 << 20, seed);

    int[] found = new JavaBackend().finder(rule).find(bytes, 63, bytes.length);

    double expected = bytes.length / rule.meanGap();
    // Twenty standard deviations: windows overlap, so counts vary more than independent ones would.
    // A window of few bytes has few values, among which the marker may be none.
    if (rule.window() > 4) {
      assertThat((double) found.length).isCloseTo(expected, within(20 * Math.sqrt(expected) + 20));
    }
  }

  @Property
  void anEveryBytesRuleKnowsItsGap(@ForAll @IntRange(min = 2) int gap) {
    assertThat(CandidateRule.Gear.everyBytes(gap).gap()).isEqualTo(gap);
    assertThat(CandidateRule.Gear.everyBytes(gap).name()).isEqualTo("gear64-1/gap=" + gap);
  }

  @Property
  void aSievedRuleKnowsItsGap(@ForAll @IntRange(min = CandidateRule.SievedGear.LEAST_GAP) int gap) {
    CandidateRule.SievedGear rule = CandidateRule.SievedGear.everyBytes(gap);

    assertThat(rule.gap()).isEqualTo(gap);
    assertThat(rule.name()).isEqualTo("gear64s-1/gap=" + gap);
    assertThat(rule.meanGap()).isCloseTo(gap, within(1e-6 * gap));
  }

  @Test
  void sievedRulesAreTakenWhereGapsAllowIt() {
    assertThat(CandidateRule.everyBytes(2047)).isEqualTo(CandidateRule.Gear.everyBytes(2047));
    assertThat(CandidateRule.everyBytes(2048)).isEqualTo(CandidateRule.SievedGear.everyBytes(2048));
    assertThat(new CandidateRule.SievedGear(0xABCDL).name()).isEqualTo("gear64s-1/width=abcd");
    assertThatThrownBy(() -> CandidateRule.SievedGear.everyBytes(2047))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 2047");
    assertThatThrownBy(() -> new CandidateRule.SievedGear(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sievedTableIsGearsButForTheLowBits() {
    long[] gear = CandidateRule.Gear.table();
    long[] sieved = CandidateRule.SievedGear.table();

    for (int i = 0; i < 256; i++) {
      assertThat(sieved[i] >>> 16).isEqualTo(gear[i] >>> 16);
      assertThat(sieved[i] & 0xFFFF).isEqualTo(i * 0x9E37L & 0xFFFF);
    }
  }

  /** What the sieve sees is 16 bytes: few values of bytes, digits, words must do. */
  @Test
  void sievedCandidatesOfOrdinaryContentAreAsFarApartAsTheRuleSays() {
    Random random = new Random(11);
    for (String alphabet : List.of("ACGT", "01", "0123456789", "0123456789abcdef", "etaoin \n")) {
      byte[] bytes = new byte[8 << 20];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) alphabet.charAt(random.nextInt(alphabet.length()));
      }
      assertFarApart(alphabet, bytes);
    }
    StringBuilder table = new StringBuilder();
    for (int row = 0; row < 200_000; row++) {
      table
          .append("2026-11-21 ")
          .append(String.format(Locale.ROOT, "%06d,%d", row, random.nextInt(1000)))
          .append(",GET,/index.html,200,")
          .append(random.nextInt(100_000))
          .append('\n');
    }
    assertFarApart("rows", table.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private static void assertFarApart(String what, byte[] bytes) {
    CandidateRule rule = CandidateRule.SievedGear.everyBytes(4096);

    int found = new JavaBackend().finder(rule).find(bytes, 63, bytes.length).length;

    assertThat(bytes.length / (double) found).as(what).isBetween(2048.0, 8192.0);
  }

  @Test
  void gearByMaskIsARangeOfTheTopBits() {
    CandidateRule.Gear rule = CandidateRule.Gear.masked(8, 0x5A);

    assertThat(rule).isEqualTo(new CandidateRule.Gear(0x5AL << 56, 1L << 56));
    assertThat(rule.meanGap()).isEqualTo(256);
    assertThat(rule.gap()).isZero();
    assertThat(CandidateRule.Gear.masked(1, 1).meanGap()).isEqualTo(2);
    assertThat(new CandidateRule.Gear(0, -1).meanGap()).isCloseTo(1, within(1e-9));
  }

  @Test
  void rabinNamesEveryParameter() {
    assertThat(CandidateRule.Rabin.published(13, 0x78).name())
        .isEqualTo("rabin-1/polynomial=3da3358b4dc173,window=48,bits=13,marker=78");
    assertThat(CandidateRule.Rabin.published(13, 0x78).meanGap()).isEqualTo(8192);
  }

  @Test
  void refusesMasksAndMarkersOutOfRange() {
    for (int bits : new int[] {-1, 0, 49, 64}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CandidateRule.Gear.masked(bits, 0))
          .withMessageContaining("not " + bits);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CandidateRule.Rabin.published(bits, 0))
          .withMessageContaining("not " + bits);
    }
    for (long marker : new long[] {-1, 256, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CandidateRule.Gear.masked(8, marker))
          .withMessageContaining("0x" + Long.toHexString(marker));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CandidateRule.Rabin.published(8, marker));
    }
    assertThatThrownBy(() -> CandidateRule.Gear.everyBytes(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 1");
    assertThatThrownBy(() -> new CandidateRule.Gear(7, 0))
        .isInstanceOf(IllegalArgumentException.class);
    // x^9 + x + 1 is irreducible; a mask may not be wider than what it is laid on.
    assertThatThrownBy(() -> new CandidateRule.Rabin(0b10_0000_0011, 48, 10, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 9");
  }

  @Test
  void refusesPolynomialsThatWillNotDo() {
    assertThatThrownBy(() -> new CandidateRule.Rabin(POLYNOMIAL ^ 1, 48, 13, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("irreducible")
        .hasMessageContaining("0x3da3358b4dc172");
    for (long polynomial : new long[] {0, 1, 0x11B, (1L << 57) | 1, -1, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> new CandidateRule.Rabin(polynomial, 48, 4, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("degree");
    }
    for (int window : new int[] {-1, 0, 65, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> new CandidateRule.Rabin(POLYNOMIAL, window, 13, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not " + window);
    }
  }

  @Test
  void gearTableIsThatOfEveryVersionAndNobodyCanChangeIt() {
    long[] table = CandidateRule.Gear.table();
    Set<Long> values = new HashSet<>();
    for (long value : table) {
      values.add(value);
    }

    assertThat(values).hasSize(256);
    assertThat(table[0]).isEqualTo(0xE220A8397B1DCDAFL);
    table[0] = 0;
    assertThat(CandidateRule.Gear.table()[0]).isEqualTo(0xE220A8397B1DCDAFL);
  }
}
