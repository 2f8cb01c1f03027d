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

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchContext;
import org.freshet.cli.bench.BenchRow;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.Benchmark;
import org.freshet.cli.bench.Samples;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.quickstart.ReleaseText;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.nativ.NativeBackendProvider;

/**
 * How fast the backends search, cut and digest, beside published chunkers and a copy of memory; and
 * how much of a release of Hadoop's sources is recognized in the next, which is what chunking is
 * for and what a chunker can trade for speed.
 */
public final class ChunkingBenchmark implements Benchmark {
  private static final String NATIVE_LEVEL = "-Dshredder.native.level=";
  private static final long SEED = 20_261_124;
  private static final double TWO_THREADS = 1.8;

  /** Digests are not to take longer than reading and cutting. */
  private static final double AS_MUCH_AS_CUTTING = 1;

  /** The average that jobs and files on HDFS have. */
  private static final int LARGE_CHUNKS = 4 << 20;

  /** Enough for a disk to get into its stride. */
  private static final int DISK_MEGABYTES = 1024;

  /**
   * How often the file that is read has the text of a release: of chunks of 4 MiB it then has five
   * times as many as there are lanes to digest them, and few of them are at its end.
   */
  private static final int REPEATED = 8;

  /** Cuts regardless of content, as the program in C calls it. */
  private static final String BLOCKS_IN_C = "fixed";

  /** Load for each core above which others take a share of the time. */
  private static final double BUSY = 0.5;

  /** What a core must do, in GB/s, by backend and rule; Rabin natively if it has {@link #GFNI}. */
  private static final Map<String, Map<Rules, Double>> TARGETS =
      Map.of(
          "java", Map.of(Rules.GEAR, 2.2, Rules.PLAIN_GEAR, 2.2, Rules.RABIN, 0.9),
          "native", Map.of(Rules.GEAR, 3.5, Rules.PLAIN_GEAR, 3.5, Rules.RABIN, 2.0));

  /** The level whose instructions exact Rabin is fast with. */
  private static final String GFNI = "avx512";

  @Override
  public String name() {
    return "chunking";
  }

  @Override
  public String description() {
    return "Chunking on each backend beside published chunkers: speed, and reuse on edited text.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    return new Measurement(context).run();
  }

  /** A backend at one of its levels. */
  private record Target(String title, String backend, List<String> jvmOptions) {}

  /** One run of the benchmark. */
  private static final class Measurement {
    private final BenchContext context;
    private final JmhRuns jmh;
    private final CPrograms c;
    private final List<BenchRow> rows = new ArrayList<>();
    private final List<Target> preferred = new ArrayList<>();
    private final List<Target> levels = new ArrayList<>();

    Measurement(BenchContext context) {
      this.context = context;
      int forks = context.runs().orElse(context.quick() ? 1 : 3);
      this.jmh = new JmhRuns(context.workDirectory(), context.quick(), forks);
      this.c = new CPrograms(context.installation(), context.progress());
      for (Map.Entry<String, String> probed : Backends.probe().entrySet()) {
        say("Backend " + probed.getKey() + ": " + probed.getValue());
      }
      preferred.add(new Target("java", "java", List.of()));
      if (isAvailable("native")) {
        preferred.add(new Target(Backends.named("native").description(), "native", List.of()));
        for (String level : nativeLevels()) {
          levels.add(
              new Target("native, limited to " + level, "native", List.of(NATIVE_LEVEL + level)));
        }
      }
    }

    List<BenchRow> run() throws IOException, InterruptedException {
      warnIfBusy();
      measureYardsticks();
      for (Target target : preferred) {
        for (Rules rule : Rules.values()) {
          measureSearch(target, rule);
        }
      }
      for (Target target : levels) {
        for (Rules rule : Rules.values()) {
          measureLevel(target, rule);
        }
      }
      measureLoopsInC();
      say("Getting the sources of two releases of Hadoop through Maven");
      Path before = text(ReleaseText.BEFORE);
      Path after = text(ReleaseText.AFTER);
      measureFiles(repeated(after));
      measureDisk();
      measureReuse(before, after);
      return rows;
    }

    private void warnIfBusy() {
      OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
      double load = system.getSystemLoadAverage();
      if (load > BUSY * system.getAvailableProcessors()) {
        say(
            String.format(
                Locale.ROOT,
                "The machine is busy (load %.1f on %d cores): expect low figures",
                load,
                system.getAvailableProcessors()));
      }
    }

    private void measureYardsticks() throws IOException {
      Map<String, String> works = new LinkedHashMap<>();
      works.put("copy", "copy of memory");
      works.put("sha256", "SHA-256, Java");
      works.put("blake3", "BLAKE3, Java");
      for (Map.Entry<String, String> work : works.entrySet()) {
        say("Measuring: " + work.getValue());
        addRate(
            "yardsticks, 1 thread",
            work.getValue(),
            jmh.gigabytesPerSecond(
                new JmhRuns.Case(
                    MemorySpeed.class,
                    Map.of("work", work.getKey()),
                    1,
                    List.of(),
                    SearchSpeed.BYTES)));
      }
    }

    private void measureSearch(Target target, Rules rule) throws IOException {
      String name = rule.title() + ", " + target.title();
      say("Measuring: " + name + ", one thread and two");
      JmhRuns.Pairs measured = jmh.inTurn(search(target, rule, 1), search(target, rule, 2));
      BenchRow alone = rate(name, "search, 1 thread", measured.first());
      rows.add(
          hasTarget(target, rule)
              ? alone.withTarget(TARGETS.get(target.backend()).get(rule))
              : alone);
      addRate(name, "search, 2 threads", measured.second());
      Samples ratios = Samples.of(measured.secondOverFirst(), Double::doubleValue);
      rows.add(
          BenchRow.of(name, "2 threads over 1", "x", Better.HIGHER, ratios)
              .withTarget(TWO_THREADS));
    }

    private static boolean hasTarget(Target target, Rules rule) {
      return !target.backend().equals("native")
          || rule != Rules.RABIN
          || nativeLevels().contains(GFNI);
    }

    private static JmhRuns.Case search(Target target, Rules rule, int threads) {
      return new JmhRuns.Case(
          SearchSpeed.class,
          parameters(target, rule),
          threads,
          target.jvmOptions(),
          SearchSpeed.BYTES);
    }

    private void measureLevel(Target target, Rules rule) throws IOException {
      String name = rule.title() + ", " + target.title();
      say("Measuring: " + name);
      addRate(name, "search, 1 thread", jmh.gigabytesPerSecond(search(target, rule, 1)));
    }

    private static Map<String, String> parameters(Target target, Rules rule) {
      return Map.of("backend", target.backend(), "rule", rule.name());
    }

    private void measureLoopsInC() throws InterruptedException {
      say("Measuring: the inner loops in C");
      int seconds = context.quick() ? 1 : 5;
      for (CPrograms.LoopSpeed loop : c.loops(SearchSpeed.BYTES >> 20, seconds)) {
        addRate(
            "in C: " + loop.name() + (loop.level().equals("-") ? "" : ", " + loop.level()),
            loop.threads() == 1 ? "1 thread" : loop.threads() + " threads",
            Samples.of(loop.gigabytesPerSecond()));
      }
    }

    private void measureFiles(Path file) throws IOException {
      for (Target target : preferred) {
        for (Rules rule : Rules.values()) {
          measureFile(rule.title() + ", " + target.title(), target, rule, 0, file);
        }
        String name = Rules.GEAR.title() + ", chunks of 4 MiB, " + target.title();
        measureFile(name, target, Rules.GEAR, LARGE_CHUNKS, file);
      }
    }

    private void measureFile(String name, Target target, Rules rule, int average, Path file)
        throws IOException {
      for (DigestAlgorithm digest : digests(target, rule, average)) {
        String full = digest == DigestAlgorithm.SHA_256 ? name : name + ", " + digest;
        for (int threads : List.of(1, 2)) {
          say("Measuring: " + full + ": file to cuts and to digests" + with(threads));
          JmhRuns.Case fromFile = fromFile(target, rule, average, file, threads, digest);
          List<Map<String, Double>> spent = jmh.counters(fromFile);
          addFile(
              full,
              target,
              threads,
              Samples.of(spent, of -> rate(of, "nanosToCuts", fromFile.bytes())),
              Samples.of(spent, of -> rate(of, "nanosToDigests", fromFile.bytes())),
              Samples.of(spent, of -> of.get("nanosToDigests") / of.get("nanosToCuts") - 1));
          if (threads > 1) {
            rows.add(
                BenchRow.of(
                    full,
                    "core to core and back" + with(threads),
                    "ns",
                    Better.LOWER,
                    Samples.of(spent, of -> of.get("nanosThereAndBack") / of.get("operations"))));
          }
        }
      }
    }

    private static double rate(Map<String, Double> spent, String nanos, long bytes) {
      return spent.get("operations") * bytes / spent.get(nanos);
    }

    /** In Java BLAKE3 is the slower one whatever is searched for: one row shows that. */
    private static List<DigestAlgorithm> digests(Target target, Rules rule, int average) {
      boolean all = target.backend().equals("native") || (rule == Rules.GEAR && average == 0);
      return all ? List.of(DigestAlgorithm.values()) : List.of(DigestAlgorithm.SHA_256);
    }

    private static String with(int threads) {
      return threads == 1 ? ", 1 thread" : ", " + threads + " threads";
    }

    private void addFile(
        String name, Target target, int threads, Samples cuts, Samples digests, Samples more) {
      addRate(name, "file to cuts" + with(threads), cuts);
      addRate(name, "file to digests" + with(threads), digests);
      BenchRow row =
          BenchRow.of(name, "digests beside cutting" + with(threads), "x", Better.LOWER, more);
      rows.add(target.backend().equals("native") ? row.withTarget(AS_MUCH_AS_CUTTING) : row);
    }

    private static JmhRuns.Case fromFile(
        Target target, Rules rule, int average, Path file, int threads, DigestAlgorithm digest)
        throws IOException {
      return new JmhRuns.Case(
          FileSpeed.class,
          Map.of(
              "backend", target.backend(),
              "rule", rule.name(),
              "average", Integer.toString(average),
              "file", file.toString(),
              "parallelism", Integer.toString(threads),
              "digest", digest.name()),
          1,
          target.jvmOptions(),
          Files.size(file));
    }

    /** On the best backend: what there is to hide behind the disk is the same for each. */
    private void measureDisk() throws IOException, InterruptedException {
      Target target = preferred.get(preferred.size() - 1);
      int rounds = context.quick() ? 3 : 5;
      try (DiskSpeed disk =
          new DiskSpeed(context.workDirectory().resolve("on-disk"), DISK_MEGABYTES, 2)) {
        for (int average : List.of(Rules.AVERAGE, LARGE_CHUNKS)) {
          String chunks = average == LARGE_CHUNKS ? ", chunks of 4 MiB, " : ", ";
          String name = "from disk, " + Rules.GEAR.title() + chunks + target.title();
          Chunker chunker =
              new Chunker(ChunkerConfig.withAverage(average), Backends.named(target.backend()));
          for (int threads : List.of(1, 2)) {
            say("Measuring: " + name + with(threads));
            measureDisk(name, threads, target, disk, chunker, rounds);
          }
        }
      } catch (DiskSpeed.UnavailableException e) {
        say("Skipped what comes from disk: " + e.getMessage());
      }
    }

    private void measureDisk(
        String name, int threads, Target target, DiskSpeed disk, Chunker chunker, int rounds)
        throws IOException, InterruptedException, DiskSpeed.UnavailableException {
      disk.nanos(chunker, threads, true);
      double[] cuts = new double[rounds];
      double[] digests = new double[rounds];
      double[] more = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        double toCuts = disk.nanos(chunker, threads, false);
        double toDigests = disk.nanos(chunker, threads, true);
        cuts[i] = disk.bytes() / toCuts;
        digests[i] = disk.bytes() / toDigests;
        more[i] = toDigests / toCuts - 1;
      }
      addFile(name, target, threads, Samples.of(cuts), Samples.of(digests), Samples.of(more));
    }

    private void measureReuse(Path before, Path after) throws IOException, InterruptedException {
      Path random = context.workDirectory().resolve("random");
      byte[] bytes = new byte[SearchSpeed.BYTES];
      new SplittableRandom(SEED).nextBytes(bytes);
      Files.write(random, bytes);
      for (Target target : preferred) {
        for (Rules rule : Rules.values()) {
          String name = "edited text, " + rule.title() + ", " + target.title();
          say("Measuring: " + name);
          Chunker chunker = new Chunker(rule.config(), Backends.named(target.backend()));
          addReuse(name, Reuse.of(file -> cuts(chunker, file), before, after));
          addRate(name, "cutting the text in memory", cutSpeed(target, rule, after));
          addRate(name, "cutting random bytes in memory", cutSpeed(target, rule, random));
        }
      }
      addReuse("edited text, blocks of 8 KiB", Reuse.of(this::blocks, before, after));
      measureReuseInC(before, after);
      Optional<PeerProgram> peers =
          PeerProgram.build(context.installation(), context.workDirectory(), context.progress());
      if (peers.isPresent()) {
        for (PeerProgram.Peer peer : PeerProgram.Peer.values()) {
          measurePeer(peers.get(), peer, before, after, random);
        }
      }
    }

    private void measureReuseInC(Path before, Path after) throws InterruptedException {
      say("Measuring: edited text, chunkers in C");
      for (CPrograms.ChunkerReuse chunker : c.reuse(before, after, Rules.AVERAGE)) {
        if (chunker.name().equals(BLOCKS_IN_C)) {
          // The same as blocks() finds, and cutting at multiples of a number has no speed.
          continue;
        }
        String name = "edited text, in C: " + chunker.name();
        addReuse(name, new Reuse(chunker.reusedPercent(), chunker.meanChunk()));
        addRate(name, "cutting the text in memory", Samples.of(chunker.gigabytesPerSecond()));
      }
    }

    private void measurePeer(
        PeerProgram program, PeerProgram.Peer peer, Path before, Path after, Path random)
        throws IOException, InterruptedException {
      String name = "edited text, " + peer.title();
      say("Measuring: " + name);
      int seconds = context.quick() ? 3 : 10;
      addReuse(name, Reuse.of(file -> program.cuts(peer, file), before, after));
      addRate(name, "cutting the text in memory", program.gigabytesPerSecond(peer, after, seconds));
      addRate(
          name,
          "cutting random bytes in memory",
          program.gigabytesPerSecond(peer, random, seconds));
    }

    private Samples cutSpeed(Target target, Rules rule, Path file) throws IOException {
      return jmh.gigabytesPerSecond(
          new JmhRuns.Case(
              CutSpeed.class,
              Map.of("backend", target.backend(), "rule", rule.name(), "file", file.toString()),
              1,
              target.jvmOptions(),
              Files.size(file)));
    }

    private static List<Long> cuts(Chunker chunker, Path file) throws IOException {
      List<Long> cuts = new ArrayList<>();
      chunker.boundaries(ByteSource.of(file), cuts::add);
      return cuts;
    }

    /** What cutting regardless of content recognizes. */
    private List<Long> blocks(Path file) throws IOException {
      long size = Files.size(file);
      return LongStream.iterate(
              Rules.AVERAGE, end -> end < size + Rules.AVERAGE, end -> end + Rules.AVERAGE)
          .map(end -> Math.min(end, size))
          .boxed()
          .toList();
    }

    /** The text of a release as one file. */
    private Path text(String release) throws IOException, InterruptedException {
      Path sources =
          LocalCluster.defaultDirectory().resolveSibling("quickstart").resolve("sources");
      ReleaseText texts = new ReleaseText(context.installation(), sources);
      texts.get(List.of(release));
      Path whole = context.workDirectory().resolve(release + ".txt");
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(whole));
          Stream<Path> modules = Files.list(texts.text(release))) {
        for (Path module : modules.sorted().toList()) {
          Files.copy(module, out);
        }
      }
      return whole;
    }

    private Path repeated(Path text) throws IOException {
      Path file = context.workDirectory().resolve("repeated.txt");
      try (OutputStream out = Files.newOutputStream(file)) {
        for (int i = 0; i < REPEATED; i++) {
          Files.copy(text, out);
        }
      }
      return file;
    }

    private static boolean isAvailable(String backend) {
      try {
        return Backends.named(backend).name().equals(backend);
      } catch (IllegalArgumentException | IllegalStateException e) {
        return false;
      }
    }

    private static List<String> nativeLevels() {
      try {
        return NativeBackendProvider.levels();
      } catch (BackendUnavailableException e) {
        throw new IllegalStateException("The native backend was there just now", e);
      }
    }

    private void addReuse(String name, Reuse reuse) {
      rows.add(BenchRow.of(name, "reused", "%", Better.HIGHER, Samples.of(reuse.percent())));
      rows.add(
          BenchRow.of(name, "mean chunk", "bytes", Better.LOWER, Samples.of(reuse.meanChunk())));
    }

    private void addRate(String name, String metric, Samples samples) {
      rows.add(rate(name, metric, samples));
    }

    private static BenchRow rate(String name, String metric, Samples samples) {
      return BenchRow.of(name, metric, "GB/s", Better.HIGHER, samples);
    }

    private void say(String line) {
      context.progress().accept(line);
    }
  }
}
