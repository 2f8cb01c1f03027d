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
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The kernels in the jar are those of the sources. */
class PtxTest {
  private static final Path SOURCES = Path.of("src/main/cuda");

  private static String ptx() throws Exception {
    try (InputStream in = CudaBackendProvider.class.getResourceAsStream("shredder.ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void itNamesTheSourcesThatItWasMadeFrom() throws Exception {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    sha256.update(Files.readAllBytes(SOURCES.resolve("shredder_core.h")));
    sha256.update(Files.readAllBytes(SOURCES.resolve("shredder.cu")));

    assertThat(ptx())
        .as("Run src/main/cuda/build-ptx.sh after a change of the sources")
        .contains(
            "// SHA-256 of the two, one after the other: "
                + HexFormat.of().formatHex(sha256.digest()));
  }

  @Test
  void itIsForDriversFromCuda12OnAndDevicesFromVoltaOn() throws Exception {
    assertThat(ptx()).contains(".version 8.0\n", ".target sm_70\n", ".address_size 64\n");
  }

  /** Where the compiler has been fetched, as {@code .ci/run} does. */
  @Test
  void itIsWhatTheSourcesCompileTo() throws Exception {
    assumeTrue(
        Files.exists(Path.of("target/nvrtc/nvidia")),
        "src/main/cuda/build-ptx.sh --fetch has not been run here");
    Process check =
        new ProcessBuilder("sh", SOURCES.resolve("build-ptx.sh").toString(), "--check")
            .redirectErrorStream(true)
            .start();
    String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(check.waitFor()).as(output).isZero();
  }
}
