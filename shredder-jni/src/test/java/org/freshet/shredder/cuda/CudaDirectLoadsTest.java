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
package org.freshet.shredder.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The kernels that tiled ones are measured against find the same. */
@EnabledIf("org.freshet.shredder.cuda.StandIn#isThere")
class CudaDirectLoadsTest {
  @Test
  void findsWhatJavaFinds() throws Exception {
    byte[] bytes = new byte[300_000];
    new Random(3).nextBytes(bytes);
    List<CandidateRule> rules =
        List.of(
            CandidateRule.Gear.everyBytes(100),
            new CandidateRule.SievedGear(-1L),
            CandidateRule.Rabin.published(7, 5),
            new CandidateRule.Rabin(CandidateRule.Rabin.POLYNOMIAL, 1, 3, 2));
    StandIn.load();
    List<String> openBefore = StandIn.open();
    CudaSettings settings = new CudaSettings(120_001, 1, 1, SearchKernel.Loads.DIRECT);
    try (CudaBackend backend = StandIn.backend(settings, "devices 1")) {
      for (CandidateRule rule : rules) {
        int[] found = backend.finder(rule).find(bytes, 63, bytes.length);

        assertThat(found)
            .as(rule.name())
            .isEqualTo(Backends.named("java").finder(rule).find(bytes, 63, bytes.length))
            .isNotEmpty();
      }
      assertThat(backend.search().searchedOnProcessor()).isZero();
    }
    StandIn.assertNothingElseOpen(openBefore);
  }
}
