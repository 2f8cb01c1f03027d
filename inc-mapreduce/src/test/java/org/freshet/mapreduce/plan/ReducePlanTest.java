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
package org.freshet.mapreduce.plan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReducePlanTest {
  @TempDir private java.nio.file.Path temporary;
  private FileSystem fs;
  private Path file;

  @BeforeEach
  void openFileSystem() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRaw();
    file = new Path(temporary.resolve("reduce.plan").toUri());
  }

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  private static ReducePlan full() {
    return new ReducePlan(
        List.of(
            new ReducePlan.Node(digest("n"), List.of(digest("a"), digest("b"))),
            new ReducePlan.Node(digest("m"), List.of(digest("n"), digest("n")))),
        List.of(digest("m"), digest("a")),
        List.of("runs/r1/p-000000-x.idx", "runs/r0/p-000001-\u00e9.idx"),
        "hdfs://host/out put/\u65e5",
        true,
        CounterSet.builder().add("user", "restored", Long.MIN_VALUE).build(),
        CounterSet.builder().add("Freshet", "CHUNKS_TOTAL", 0).build(),
        Map.of(digest("a"), 3),
        Set.of("r0", "r1"));
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    full().write(fs, file);

    assertThat(ReducePlan.read(fs, file)).isEqualTo(full());
  }

  @Test
  void planWithNothingToDoIsReadAsSuch() throws IOException {
    ReducePlan empty =
        new ReducePlan(
            List.of(),
            List.of(),
            List.of(),
            "",
            false,
            CounterSet.EMPTY,
            CounterSet.EMPTY,
            Map.of(),
            Set.of());
    full().write(fs, file);
    empty.write(fs, file);

    assertThat(ReducePlan.read(fs, file)).isEqualTo(empty);
  }

  @Test
  void truncatedPlanIsAnErrorAtWhateverByteItEnds() throws IOException {
    full().write(fs, file);
    java.nio.file.Path local = java.nio.file.Path.of(file.toUri().getPath());
    byte[] bytes = Files.readAllBytes(local);
    for (int length = 0; length < bytes.length; length += 7) {
      Files.write(local, java.util.Arrays.copyOf(bytes, length));

      assertThatThrownBy(() -> ReducePlan.read(fs, file))
          .as("%d of %d bytes", length, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }
}
