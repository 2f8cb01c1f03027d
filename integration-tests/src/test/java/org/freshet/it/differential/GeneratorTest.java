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
package org.freshet.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.freshet.it.harness.OutputSnapshot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A differential test finds only what its generator reaches. */
@Tag("differential")
class GeneratorTest {
  private static final int CASES = 300;

  private static Stream<RandomJob> jobs() {
    return IntStream.range(0, CASES).mapToObj(i -> RandomJob.generate(new Random(i)));
  }

  @Test
  void threeHundredJobsReachEveryKind() {
    List<RandomJob> jobs = jobs().toList();
    assertThat(jobs).extracting(RandomJob::api).contains(RandomJob.Api.values());
    assertThat(jobs).extracting(RandomJob::input).contains(InputKind.values());
    assertThat(jobs).extracting(RandomJob::map).contains(MapKind.values());
    assertThat(jobs).extracting(RandomJob::reduce).contains(ReduceKind.values());
    assertThat(jobs).extracting(RandomJob::partition).contains(RandomJob.Partition.values());
    assertThat(jobs).extracting(RandomJob::sort).contains(RandomJob.Sort.values());
    assertThat(jobs).extracting(RandomJob::codec).contains(RandomJob.MapCodec.values());
    assertThat(jobs).extracting(RandomJob::output).contains(RandomJob.OutputKind.values());
    assertThat(jobs).extracting(RandomJob::select).contains(RandomJob.Select.values());
    assertThat(jobs).extracting(RandomJob::submit).contains(Submission.values());
    assertThat(jobs).extracting(RandomJob::reduces).contains(0, 1, 2, 3, 4, 5);
    assertThat(jobs).extracting(j -> j.combiner().isPresent()).contains(true, false);
  }

  @Test
  void threeHundredHistoriesReachEveryEdit() {
    Set<Edit> edits = EnumSet.noneOf(Edit.class);
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(i);
      Version.history(RandomJob.generate(random), random).forEach(v -> edits.add(v.edit()));
    }
    assertThat(edits).containsExactlyInAnyOrder(Edit.values());
  }

  @Test
  void sameSeedGivesTheSameJobAndTheSameBytes() {
    for (int seed = 0; seed < 20; seed++) {
      assertThat(fingerprint(seed)).isEqualTo(fingerprint(seed));
    }
    assertThat(new HashSet<>(IntStream.range(0, 20).mapToObj(GeneratorTest::fingerprint).toList()))
        .hasSize(20);
  }

  private static String fingerprint(int seed) {
    Random random = new Random(seed);
    RandomJob job = RandomJob.generate(random);
    StringBuilder text = new StringBuilder(job.toString());
    for (Version version : Version.history(job, random)) {
      text.append(version.edit());
      version
          .input()
          .files()
          .forEach(
              (path, file) -> {
                text.append(path);
                file.units().forEach(u -> text.append(Arrays.hashCode(u)));
              });
    }
    return text.toString();
  }

  @Test
  void aSnapshotTellsEveryKindOfDifference() {
    OutputSnapshot written = snapshot("part-0", "abc", "_SUCCESS", "");
    assertThat(written.difference(snapshot("part-0", "abc", "_SUCCESS", ""))).isEmpty();
    assertThat(written.difference(snapshot("part-0", "abd", "_SUCCESS", "")))
        .hasValueSatisfying(d -> assertThat(d).contains("part-0 differs at byte 2"));
    assertThat(written.difference(snapshot("part-0", "abcd", "_SUCCESS", "")))
        .hasValueSatisfying(d -> assertThat(d).contains("part-0 differs at byte 3"));
    assertThat(written.difference(snapshot("part-0", "abc"))).hasValue("missing file: _SUCCESS");
    assertThat(snapshot("part-0", "abc").difference(written))
        .hasValue("file that stock did not write: _SUCCESS");
  }

  private static OutputSnapshot snapshot(String... namesAndTexts) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      files.put(namesAndTexts[i], namesAndTexts[i + 1].getBytes(UTF_8));
    }
    return new OutputSnapshot(files);
  }
}
