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
package org.freshet.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;
import org.freshet.cli.bench.Timeline.Batch;
import org.freshet.cli.bench.Timeline.Executor;
import org.junit.jupiter.api.Test;

/** 80 batches, one each second; the cluster changes half a second after the 41st was due. */
class DisturbanceTest {
  private static final double CHANGE = 40.5;

  @Test
  void latencyThatStaysUsualWasNotDisturbed() {
    Disturbance none = Disturbance.of(timeline(i -> 100 + i % 10));
    assertThat(none.hasEnded()).isTrue();
    assertThat(none.seconds()).isZero();
    assertThat(none.lateBatches()).isZero();
    assertThat(none.lateWindows()).isZero();
    assertThat(none.usualMs()).isEqualTo(109);
    assertThat(none.medianMs()).isEqualTo(104.5, within(0.5));
    assertThat(none.worstMs()).isEqualTo(109);
  }

  @Test
  void itEndsWithTheLastBatchBeforeOnesThatAreUsual() {
    // Due at 41, 42 and 43 s, and 3 s late each.
    Disturbance some = Disturbance.of(timeline(i -> i > 40 && i < 44 ? 3000 : 100));
    assertThat(some.hasEnded()).isTrue();
    assertThat(some.seconds()).isEqualTo(43 + 3 - CHANGE, within(1e-9));
    assertThat(some.lateBatches()).isEqualTo(3);
    assertThat(some.worstMs()).isEqualTo(3000);
  }

  @Test
  void theBatchThatWasUnderWayCounts() {
    Disturbance one = Disturbance.of(timeline(i -> i == 40 ? 2500 : 100));
    assertThat(one.seconds()).isEqualTo(40 + 2.5 - CHANGE, within(1e-9));
    assertThat(one.lateBatches()).isEqualTo(1);
    // It was due at the end of a window.
    assertThat(one.lateWindows()).isEqualTo(1);
  }

  @Test
  void fewBatchesInTimeDoNotEndIt() {
    // One in five is late until 60 s.
    Disturbance long60 = Disturbance.of(timeline(i -> i > 40 && i <= 60 && i % 5 == 0 ? 900 : 100));
    assertThat(long60.seconds()).isEqualTo(60 + 0.9 - CHANGE, within(1e-9));
    assertThat(long60.lateBatches()).isEqualTo(4);
    assertThat(long60.lateWindows()).isEqualTo(2);
  }

  @Test
  void aLateBatchLongAfterwardsIsNotOfIt() {
    assertThat(Disturbance.of(timeline(i -> i == 42 || i == 70 ? 900 : 100)).seconds())
        .isEqualTo(42 + 0.9 - CHANGE, within(1e-9));
  }

  @Test
  void itIncludesWhatANewExecutorDoes() {
    IntToDoubleFunction latencyMs = i -> i == 41 || i == 56 || i == 57 ? 900 : 100;
    assertThat(Disturbance.of(timeline(latencyMs)).seconds())
        .isEqualTo(41 + 0.9 - CHANGE, within(1e-9));
    Disturbance both =
        Disturbance.of(timeline(latencyMs, new Executor(54, OptionalDouble.of(56.1))));
    assertThat(both.seconds()).isEqualTo(57 + 0.9 - CHANGE, within(1e-9));
    assertThat(both.lateBatches()).isEqualTo(3);
    // As usual, but for the first.
    Disturbance first =
        Disturbance.of(
            timeline(i -> i == 41 ? 900 : 100, new Executor(54, OptionalDouble.of(56.1))));
    assertThat(first.seconds()).isEqualTo(41 + 0.9 - CHANGE, within(1e-9));
    assertThat(first.meanMs()).isEqualTo((39 * 100 + 800) / 39.0, within(1e-9));
  }

  @Test
  void itIsReckonedFromWhenTheClusterHasChanged() {
    // Of what was under way while it changed nothing has ended.
    IntToDoubleFunction latencyMs = i -> i > 40 && i < 45 ? 1000 * (45.5 - i) : 100;
    Disturbance some =
        Disturbance.of(
            timeline(latencyMs, OptionalDouble.of(CHANGE), OptionalDouble.of(CHANGE + 4)));
    assertThat(some.usualMs()).isEqualTo(100);
    assertThat(some.seconds()).isEqualTo(1, within(1e-9));
    assertThat(some.lateBatches()).isEqualTo(4);
  }

  @Test
  void latencyThatDoesNotComeBackIsLateToTheEnd() {
    Disturbance endless = Disturbance.of(timeline(i -> i > 40 ? 1000 : 100));
    assertThat(endless.hasEnded()).isFalse();
    assertThat(endless.seconds()).isEqualTo(79 + 1 - CHANGE, within(1e-9));
    assertThat(endless.lateBatches()).isEqualTo(39);
    assertThat(endless.lateWindows()).isEqualTo(3);
  }

  @Test
  void whatIsSlowAtFirstIsNotUsual() {
    assertThat(Disturbance.of(timeline(i -> i < 10 ? 5000 : 100)).usualMs()).isEqualTo(100);
  }

  @Test
  void aClusterThatDoesNotChangeDisturbsNothing() {
    Timeline quiet = timeline(i -> 100, OptionalDouble.empty(), OptionalDouble.empty());
    assertThatThrownBy(() -> Disturbance.of(quiet)).isInstanceOf(IllegalArgumentException.class);
  }

  private static Timeline timeline(IntToDoubleFunction latencyMs, Executor... executors) {
    return timeline(latencyMs, OptionalDouble.of(CHANGE), OptionalDouble.of(CHANGE), executors);
  }

  private static Timeline timeline(
      IntToDoubleFunction latencyMs,
      OptionalDouble change,
      OptionalDouble changed,
      Executor... executors) {
    return new Timeline(
        0, 10_000, batches(latencyMs), change, changed, List.of(executors), 1, 0, 0);
  }

  private static List<Batch> batches(IntToDoubleFunction latencyMs) {
    List<Batch> batches = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      batches.add(
          new Batch(
              i, latencyMs.applyAsDouble(i), OptionalDouble.empty(), OptionalDouble.empty(), 0));
    }
    return batches;
  }
}
