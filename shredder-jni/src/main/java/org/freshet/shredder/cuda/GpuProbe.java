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

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.ChunkerConfigBuilder;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaDriver;

/**
 * Measures what the GPU of this machine is worth for chunking, and checks that it cuts as the
 * processor does: the figures 3.3, 3.5, 3.6, 3.9, 3.11 and 3.12 and table 3.2 of P. Bhatotia's
 * thesis ("Incremental parallel and distributed systems", Saarland University, 2015), taken anew.
 *
 * <pre>
 * GpuProbe [--json FILE] [--bytes N] [--most-buffer N]
 *
 *   --json FILE       where the figures go as JSON; as text they are printed
 *   --bytes N         how much data goes into each figure; 1 GiB if not said
 *   --most-buffer N   the largest buffer; 256 MiB if not said
 * </pre>
 *
 * Exits with 1 if devices and processor differ, and with 2 if there is no device or the arguments
 * are wrong. Needs {@code org.jcuda:jcuda} and its natives on the class path, and about three times
 * the largest buffer as heap and as direct memory.
 */
public final class GpuProbe {
  private static final long SEED = 20_261_121;
  private static final int FACTOR = 4;

  /** Larger than any cache, so that reading it is reading memory. */
  private static final int LEAST_CONTENT = 64 << 20;

  /** The published rule: thirteen bits of a Rabin fingerprint, and every candidate is a cut. */
  private static final ChunkerConfig RABIN = unlimited(ChunkerConfig.builder().rabin());

  private static final ChunkerConfig GEAR = unlimited(ChunkerConfig.builder().gear());

  private final long bytes;
  private final List<Integer> sizes;
  private final ByteBuffer content;
  private final ProbeReport report = new ProbeReport();

  private GpuProbe(long bytes, int mostBuffer) {
    this.bytes = bytes;
    this.sizes =
        IntStream.iterate(CudaSettings.LEAST_BUFFER_BYTES, s -> s <= mostBuffer, s -> s * FACTOR)
            .boxed()
            .toList();
    this.content = randomBytes((int) Math.max(mostBuffer, Math.min(bytes, LEAST_CONTENT)));
  }

  private static ChunkerConfig unlimited(ChunkerConfigBuilder builder) {
    return builder.maskBits(13).marker(0x78).minSize(1).maxSize(ChunkerConfig.NO_MAXIMUM).build();
  }

  private static ByteBuffer randomBytes(int count) {
    SplittableRandom random = new SplittableRandom(SEED);
    ByteBuffer bytes = ByteBuffer.allocateDirect(count);
    while (bytes.remaining() >= Long.BYTES) {
      bytes.putLong(random.nextLong());
    }
    return bytes;
  }

  /** Runs it; see the class. */
  public static void main(String[] args) throws IOException {
    System.exit(run(args, System.out, System.err));
  }

  /** Like {@link #main}, without exiting. */
  static int run(String[] args, PrintStream out, PrintStream err) throws IOException {
    Path json = null;
    long bytes = 1L << 30;
    long mostBuffer = CudaSettings.MOST_BUFFER_BYTES;
    try {
      for (int i = 0; i < args.length; i += 2) {
        String value = i + 1 < args.length ? args[i + 1] : "";
        switch (args[i]) {
          case "--json" -> json = Path.of(value);
          case "--bytes" -> bytes = number(args[i], value, 1, Long.MAX_VALUE);
          case "--most-buffer" ->
              mostBuffer =
                  number(
                      args[i],
                      value,
                      CudaSettings.LEAST_BUFFER_BYTES,
                      CudaSettings.MOST_BUFFER_BYTES);
          default -> throw new IllegalArgumentException("Unknown option " + args[i]);
        }
      }
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      return 2;
    }
    GpuProbe probe = new GpuProbe(bytes, (int) mostBuffer);
    boolean identical;
    try {
      identical = probe.measure();
    } catch (BackendUnavailableException | CudaCallException e) {
      err.println("No figures: " + e.getMessage());
      return 2;
    }
    out.print(probe.report.toText());
    if (json != null) {
      Files.writeString(json, probe.report.toJson(), StandardCharsets.UTF_8);
    }
    return identical ? 0 : 1;
  }

  private static long number(String option, String value, long least, long most) {
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IllegalArgumentException(
        option + " must be a number from " + least + " to " + most + ", not " + value);
  }

  /** In GB/s. */
  static double gigabytesPerSecond(long bytes, double millis) {
    return bytes / millis / 1e6;
  }

  private boolean measure() throws BackendUnavailableException, CudaCallException, IOException {
    CudaDriver driver = CudaDriver.load();
    List<CudaDevice> devices = CudaBackendProvider.openDevices(driver);
    try {
      describe(driver, devices);
      busAndKernels(devices.get(0));
    } finally {
      for (CudaDevice device : devices) {
        device.close();
      }
    }
    return pipelines();
  }

  private void describe(CudaDriver driver, List<CudaDevice> devices) throws CudaCallException {
    report.fact(
        "devices", devices.stream().map(CudaDevice::name).collect(Collectors.joining(", ")));
    report.fact("device memory", devices.get(0).memoryBytes());
    report.fact("multiprocessors", devices.get(0).multiprocessors());
    report.fact("driver for CUDA", driver.version());
    report.fact("processors", Runtime.getRuntime().availableProcessors());
    report.fact("java", Runtime.version().toString());
    report.fact("bytes for each figure", bytes);
  }

  private void busAndKernels(CudaDevice device) throws CudaCallException {
    BusProbe bus = new BusProbe(device, bytes);
    bus.bandwidth(
        sizes,
        report.table(
            "figure 3.3",
            "Figure 3.3: bandwidth between host and device, GB/s",
            "buffer",
            "to, pageable",
            "to, pinned",
            "from, pageable",
            "from, pinned"));
    bus.allocation(
        sizes,
        report.table(
            "figure 3.6",
            "Figure 3.6: milliseconds to allocate a buffer, and to copy one into a pinned one",
            "buffer",
            "pageable",
            "pinned",
            "copy"));
    KernelProbe kernels = new KernelProbe(device, content, bytes);
    kernels.overlap(
        sizes,
        RABIN.rule(),
        report.table(
            "figure 3.5",
            "Figure 3.5: milliseconds for all data, copying and searching by turns or at once",
            "buffer",
            "copy",
            "kernel",
            "serialized",
            "concurrent",
            "ratio"));
    kernels.spareTime(
        sizes,
        RABIN.rule(),
        report.table(
            "table 3.2",
            "Table 3.2: milliseconds for one buffer",
            "buffer",
            "device",
            "host launch",
            "total",
            "host idle"));
    for (ChunkerConfig config : List.of(RABIN, GEAR)) {
      kernels.loads(
          sizes,
          config.rule(),
          report.table(
              "figure 3.11 " + algorithm(config),
              "Figure 3.11: milliseconds of the kernel for one buffer, and GB/s: "
                  + algorithm(config),
              "buffer",
              "direct",
              "tiled",
              "ratio",
              "direct GB/s",
              "tiled GB/s"));
    }
  }

  private static String algorithm(ChunkerConfig config) {
    return config.rule() instanceof CandidateRule.Rabin ? "rabin" : "gear";
  }

  private boolean pipelines() throws BackendUnavailableException, IOException {
    PipelineProbe probe = new PipelineProbe(new MemorySource(content, bytes));
    for (ChunkerConfig config : List.of(RABIN, GEAR)) {
      probe.depths(
          sizes,
          config.rule(),
          report.table(
              "figure 3.9 " + algorithm(config),
              "Figure 3.9: GB/s from memory to candidates, by buffers in the pipeline: "
                  + algorithm(config),
              PipelineProbe.depthColumns()));
    }
    int size = Math.min(CudaSettings.DEFAULT.bufferBytes(), sizes.get(sizes.size() - 1));
    for (ChunkerConfig config : List.of(RABIN, GEAR)) {
      probe.comparison(
          size,
          config,
          report.table(
              "figure 3.12 " + algorithm(config),
              "Figure 3.12: GB/s from memory to cuts: " + algorithm(config),
              "by",
              "threads",
              "GB/s"));
    }
    return identity(new PipelineProbe(new MemorySource(content, content.capacity())), size);
  }

  private boolean identity(PipelineProbe probe, int size)
      throws BackendUnavailableException, IOException {
    boolean identical = true;
    for (ChunkerConfig config : List.of(RABIN, GEAR)) {
      for (SearchKernel.Loads loads : SearchKernel.Loads.values()) {
        identical &=
            probe.isIdentical(
                new CudaSettings(size, CudaSettings.PUBLISHED_DEPTH, 1, loads), config);
      }
    }
    report.fact("devices cut as the processor does", identical);
    return identical;
  }
}
