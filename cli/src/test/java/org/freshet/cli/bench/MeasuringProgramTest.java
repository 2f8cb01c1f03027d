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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MeasuringProgramTest {
  /** Answers each line with what is wanted and what is not, and fails if that is asked for. */
  private static final String ANSWERS =
      """
      printf 'time\\t1\\nnoise\\t2\\nwaiting\\n'
      while read -r line; do
        [ "$line" != fail ] || exit 3
        printf 'noise\\t3\\ntime\\t%s\\nwaiting\\n' "$line"
      done
      printf 'time\\tend\\n'
      """;

  @TempDir Path directory;

  private MeasuringProgram start(String script, Duration limit) throws IOException {
    return new MeasuringProgram(
        "The script",
        List.of("/bin/sh", "-c", script),
        directory.resolve("log"),
        Set.of("time"),
        limit);
  }

  @Test
  void answersEachRequest() throws Exception {
    try (MeasuringProgram program = start(ANSWERS, MeasuringProgram.LIMIT)) {
      assertThat(program.awaitAnswer("waiting")).containsExactly(new String[] {"time", "1"});
      program.ask("a");
      assertThat(program.awaitAnswer("waiting")).containsExactly(new String[] {"time", "a"});
      program.ask("b");
      assertThat(program.awaitAnswer("waiting")).containsExactly(new String[] {"time", "b"});
      assertThat(program.finish()).containsExactly(new String[] {"time", "end"});
    }
  }

  @Test
  void runsToItsEnd() throws Exception {
    try (MeasuringProgram program = start(ANSWERS, MeasuringProgram.LIMIT)) {
      assertThat(program.finish())
          .containsExactly(new String[] {"time", "1"}, new String[] {"time", "end"});
    }
  }

  @Test
  void saysThatItHasFailed() throws Exception {
    try (MeasuringProgram program = start(ANSWERS, MeasuringProgram.LIMIT)) {
      program.awaitAnswer("waiting");
      program.ask("fail");
      assertThatThrownBy(() -> program.awaitAnswer("waiting"))
          .isInstanceOf(IOException.class)
          .hasMessage("The script failed; see " + directory.resolve("log"));
    }
    try (MeasuringProgram program = start("exit 1", MeasuringProgram.LIMIT)) {
      assertThatThrownBy(program::finish)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("failed");
    }
  }

  @Test
  void saysThatItEndedTooSoon() throws Exception {
    try (MeasuringProgram program = start("exit 0", MeasuringProgram.LIMIT)) {
      assertThatThrownBy(() -> program.awaitAnswer("waiting"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ended before");
    }
  }

  @Test
  void mayNotTakeTooLong() throws Exception {
    try (MeasuringProgram program = start("exec sleep 600", Duration.ofMillis(200))) {
      assertThatThrownBy(program::finish)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("too long");
    }
  }
}
