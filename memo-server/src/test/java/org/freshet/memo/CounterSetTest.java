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
package org.freshet.memo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class CounterSetTest {

  private record Count(String group, String name, long value) {}

  @Provide
  Arbitrary<CounterSet> counters() {
    Arbitrary<String> names = Arbitraries.of("", "a", "b", "WordCount$Words", "zeichen ä ∑", "𝄞");
    Arbitrary<Long> values =
        Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-3, 3));
    return Combinators.combine(names, names, values)
        .as(Count::new)
        .list()
        .ofMaxSize(12)
        .map(CounterSetTest::of);
  }

  private static CounterSet of(List<Count> counts) {
    CounterSet.Builder builder = CounterSet.builder();
    counts.forEach(c -> builder.add(c.group(), c.name(), c.value()));
    return builder.build();
  }

  @Property(tries = 200)
  void sumsAreCommutativeAndAssociativeWithEmptyAsZero(
      @ForAll("counters") CounterSet a,
      @ForAll("counters") CounterSet b,
      @ForAll("counters") CounterSet c) {
    assertThat(a.plus(b)).isEqualTo(b.plus(a));
    assertThat(a.plus(b).plus(c)).isEqualTo(a.plus(b.plus(c)));
    assertThat(a.plus(CounterSet.EMPTY)).isEqualTo(a);
    assertThat(CounterSet.EMPTY.plus(a)).isEqualTo(a);
  }

  @Property(tries = 200)
  void timesIsRepeatedAddition(@ForAll("counters") CounterSet a, @ForAll("counters") CounterSet b) {
    assertThat(a.times(3)).isEqualTo(a.plus(a).plus(a));
    assertThat(a.plus(b).times(5)).isEqualTo(a.times(5).plus(b.times(5)));
    assertThat(a.times(2).times(7)).isEqualTo(a.times(14));
  }

  @Property(tries = 200)
  void aSetReadsBackAsItWasWritten(@ForAll("counters") CounterSet a) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    a.write(new DataOutputStream(bytes));
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    assertThat(CounterSet.read(in)).isEqualTo(a);
    assertThat(in.available()).isZero();
  }

  @Test
  void visitsInOrderAndKeepsZeros() {
    CounterSet set =
        of(List.of(new Count("g", "b", 0), new Count("g", "a", 4), new Count("f", "z", -1)));
    List<Count> visited = new ArrayList<>();
    set.forEach((group, name, value) -> visited.add(new Count(group, name, value)));
    assertThat(visited)
        .containsExactly(new Count("f", "z", -1), new Count("g", "a", 4), new Count("g", "b", 0));
    assertThat(set.value("g", "a")).isEqualTo(4);
    assertThat(set.value("g", "none")).isZero();
    assertThat(set.isEmpty()).isFalse();
    assertThat(CounterSet.EMPTY.isEmpty()).isTrue();
    assertThat(set).hasToString("{f:z=-1, g:a=4, g:b=0}");
  }
}
