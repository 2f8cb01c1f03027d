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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.freshet.shredder.BackendProvider;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said where something is missing, and what is left behind where nothing is. */
@EnabledIf("org.freshet.shredder.cuda.StandIn#isThere")
class CudaBackendProviderTest {
  private final BackendProvider provider = new CudaBackendProvider();

  @BeforeAll
  static void loadDriver() throws Exception {
    StandIn.load();
  }

  @AfterEach
  void noDevice() {
    StandIn.plan();
    System.clearProperty(CudaSettings.DEPTH);
    System.clearProperty(CudaSettings.BUFFER_BYTES);
  }

  @Test
  void describesDevicesAndDriver() throws Exception {
    StandIn.plan("devices 2", "version 12040");

    try (CudaBackend backend = (CudaBackend) provider.open()) {
      assertThat(backend.description())
          .isEqualTo("cuda: stand-in 0, stand-in 1, driver for CUDA 12.4");
    }
  }

  @Test
  void saysThatThereIsNoDevice() {
    StandIn.plan("devices 0");

    assertThatThrownBy(provider::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("no device");
  }

  @Test
  void saysThatTheDriverIsTooOld() {
    StandIn.plan("devices 1", "version 11080");

    assertThatThrownBy(provider::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("the driver is for CUDA 11.8; 12.0 is needed");
  }

  @Test
  void aDeviceThatCannotBeOpenedIsLeftOut() throws Exception {
    StandIn.plan("devices 2", "fail cuModuleLoadData 218 1 1");

    try (CudaBackend backend = (CudaBackend) provider.open()) {
      assertThat(backend.description()).contains("stand-in 1").doesNotContain("stand-in 0");
    }
    StandIn.plan("devices 2", "fail cuDevicePrimaryCtxRetain 46 1 2");
    assertThatThrownBy(provider::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
  }

  @Test
  void declinesWhereTheProcessorIsFaster() throws Exception {
    List<String> openBefore = StandIn.open();
    StandIn.plan("devices 1");

    assertThatThrownBy(provider::openIfWorthwhile)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageMatching("would not pay: \\d+\\.\\d GB/s, and \\d+\\.\\d GB/s on half .*");
    StandIn.assertNothingElseOpen(openBefore);
  }

  @ParameterizedTest
  @CsvSource({
    "shredder.cuda.depth, 17, must be 1 to 16",
    "shredder.cuda.depth, many, must be a number",
    "shredder.cuda.buffer.bytes, 1000, must be 262144 to 268435456",
  })
  void refusesSettingsThatCannotBe(String property, String value, String complaint) {
    StandIn.plan("devices 1");
    System.setProperty(property, value);

    assertThatThrownBy(provider::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining(property + " " + complaint)
        .hasMessageContaining("not " + value);
  }

  @Test
  void propertiesSetBufferAndDepth() {
    System.setProperty(CudaSettings.BUFFER_BYTES, "1048576");
    System.setProperty(CudaSettings.DEPTH, "2");

    assertThat(CudaSettings.fromProperties())
        .isEqualTo(
            new CudaSettings(
                1 << 20, 2, CudaSettings.DEFAULT.leastBytes(), SearchKernel.Loads.TILED));
  }

  /** As in every Hadoop process that nobody has given JCuda to. */
  @Test
  void withoutJCudaOnTheClassPathItIsLeftAlone() throws Exception {
    URL[] own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("jcuda"))
            .map(CudaBackendProviderTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader = new URLClassLoader(own, ClassLoader.getPlatformClassLoader())) {
      Method probe = loader.loadClass(Backends.class.getName()).getMethod("probe");
      Map<?, ?> found = (Map<?, ?>) probe.invoke(null);

      assertThat(found.get("cuda")).isEqualTo("org.jcuda:jcuda is not on the class path");
      assertThat(found.get("java")).asString().startsWith("java");
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(entry, e);
    }
  }

  @Test
  void withoutADriverItSaysSo(@TempDir Path empty) throws Exception {
    // An empty file is found before any real driver, and is none.
    Files.createFile(empty.resolve("libcuda.so.1"));

    assertThat(probeInAProcessOfItsOwn(empty, empty)).contains("cuda=no NVIDIA driver");
  }

  @Test
  void withoutADeviceTheDriverSaysSo(@TempDir Path temporary) throws Exception {
    StandIn.plan("devices 0");

    assertThat(probeInAProcessOfItsOwn(StandIn.library().getParent(), temporary))
        .contains("cuda=cuInit: CUDA_ERROR_NO_DEVICE (100)");
  }

  /** JCuda by itself would load this file. */
  @Test
  void aLibraryThatSomebodyPutIntoTheDirectoryForTemporaryFilesIsNotLoaded(@TempDir Path temporary)
      throws Exception {
    StandIn.plan("devices 1");
    Path planted = temporary.resolve("libJCudaDriver-12.6.0-linux-x86_64.so");
    Files.writeString(planted, "anything");

    assertThat(probeInAProcessOfItsOwn(StandIn.library().getParent(), temporary))
        .contains("cuda=cuda: stand-in 0");
    try (var left = Files.list(temporary)) {
      assertThat(left.filter(file -> !file.getFileName().toString().startsWith("hsperf")))
          .containsExactly(planted);
    }
  }

  private static String probeInAProcessOfItsOwn(Path libraries, Path temporary) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                PrintProbe.class.getName()));
    builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
    builder.redirectErrorStream(true);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** Prints what backends there are. */
  static final class PrintProbe {
    public static void main(String[] args) {
      System.out.println(Backends.probe());
    }
  }
}
