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

import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static final List<String> PRINTED =
      List.of(
          "start\t1000009750\t10000",
          "batch\t0\t290\t1\t0.25\t2",
          "batch\t250\t50\t2\t0.5\t10",
          "batch\t500\t45\t\t\t1",
          "change\t270\t1270",
          "executor\t3270\t3400",
          "executor\t4000\t",
          "counts\t300\t298\t3\t1");

  @Test
  void readsWhatWasPrinted() throws IOException {
    Timeline timeline = timeline(PRINTED.stream());
    assertThat(timeline.change()).hasValue(0.27);
    assertThat(timeline.changed()).hasValue(1.27);
    assertThat(timeline.views()).isEqualTo(300);
    assertThat(timeline.lost()).isEqualTo(3);
    assertThat(timeline.excess()).isEqualTo(1);
    assertThat(timeline.executors())
        .containsExactly(
            new Timeline.Executor(3.27, OptionalDouble.of(3.4)),
            new Timeline.Executor(4, OptionalDouble.empty()));
    assertThat(timeline.length()).isEqualTo(0.5);
    assertThat(timeline.latencies(0, 0.5)).containsExactly(290.0, 50.0);
    Timeline.Batch second = timeline.batches().get(1);
    assertThat(second.groupSize()).hasValue(2);
    assertThat(second.lost()).hasValue(0.5);
    assertThat(second.began()).isEqualTo(0.26);
    assertThat(second.ended()).isEqualTo(0.3);
    assertThat(timeline.batches().get(2).groupSize()).isEmpty();
  }

  @Test
  void batchesAreUnderWayFromTheirBeginToTheirEnd() throws IOException {
    Timeline timeline = timeline(PRINTED.stream());
    assertThat(Stream.of(0.0, 0.1, 0.27, 0.295, 0.4, 0.51).map(timeline::underWay))
        .containsExactly(0, 1, 2, 1, 0, 1);
  }

  @Test
  void aWindowIsCompletedByTheBatchThatIsDueAtItsEnd() throws IOException {
    Timeline timeline = timeline(PRINTED.stream());
    assertThat(timeline.batches().stream().map(timeline::completesWindow))
        .containsExactly(false, true, false);
  }

  @Test
  void whatStoppedHalfWayIsNotTaken() {
    for (String part : List.of("start", "batch", "counts")) {
      assertThatThrownBy(() -> timeline(PRINTED.stream().filter(line -> !line.startsWith(part))))
          .isInstanceOf(IOException.class);
    }
  }

  private static Timeline timeline(Stream<String> lines) throws IOException {
    return Timeline.of(lines.map(line -> line.split("\t")).toList());
  }
}
