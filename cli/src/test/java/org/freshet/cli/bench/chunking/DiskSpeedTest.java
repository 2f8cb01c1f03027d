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
package org.freshet.cli.bench.chunking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DiskSpeedTest {
  @TempDir private Path dir;

  @Test
  @Timeout(120)
  void measuresAFileThatIsNotInMemoryAndLeavesNothingBehind() throws Exception {
    Path file = dir.resolve("file");
    Chunker chunker = new Chunker(ChunkerConfig.withAverage(8192), Backends.named("java"));
    try (DiskSpeed disk = new DiskSpeed(file, 65, 2)) {
      assertThat(disk.bytes()).isEqualTo(Files.size(file)).isEqualTo(65L << 20);
      for (int threads = 1; threads <= 2; threads++) {
        assertThat(disk.nanos(chunker, threads, false)).isPositive();
        assertThat(disk.nanos(chunker, threads, true)).isPositive();
      }
    } catch (DiskSpeed.UnavailableException e) {
      abort("This is no disk, or the programs are not here: " + e.getMessage());
    }

    assertThat(file).doesNotExist();
  }
}
