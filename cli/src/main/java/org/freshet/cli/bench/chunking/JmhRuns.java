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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.freshet.cli.bench.Samples;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs JMH benchmarks, each in JVMs of its own. For one thread. */
final class JmhRuns {
  /** Two threads' buffers and a file in memory. Not the parent's options: those start fast. */
  private static final List<String> JVM_OPTIONS = List.of("-Xms2g", "-Xmx2g", "-XX:+UseSerialGC");

  /** How often two cases are compared, at least, unless it has to be quick. */
  private static final int LEAST_PAIRS = 3;

  private final Path logs;
  private final boolean quick;
  private final int forks;
  private int count;

  /**
   * @param logs an existing directory for what JMH prints
   * @param quick for fewer and shorter iterations
   * @param forks JVMs that measure each case, one after the other
   */
  JmhRuns(Path logs, boolean quick, int forks) {
    this.logs = logs;
    this.quick = quick;
    this.forks = forks;
  }

  /**
   * What is measured: a class with one benchmark.
   *
   * @param jvmOptions besides the usual ones
   * @param bytes that one operation goes through
   */
  record Case(
      Class<?> benchmark,
      Map<String, String> parameters,
      int threads,
      List<String> jvmOptions,
      long bytes) {}

  /**
   * Measures a case.
   *
   * @return 10<sup>9</sup> bytes in a second of all threads together, one sample an iteration
   * @throws IOException if it fails; its log says why
   */
  Samples gigabytesPerSecond(Case what) throws IOException {
    return samples(measure(what, forks));
  }

  /**
   * Measures two cases in turn, in a JVM each time: what else the machine does comes and goes
   * within minutes, and would decide which is how much faster.
   */
  Pairs inTurn(Case first, Case second) throws IOException {
    int pairs = pairs();
    List<Double> ofFirst = new ArrayList<>();
    List<Double> ofSecond = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      List<Double> one = measure(first, 1);
      List<Double> other = measure(second, 1);
      ofFirst.addAll(one);
      ofSecond.addAll(other);
      ratios.add(samples(other).median() / samples(one).median());
    }
    return new Pairs(samples(ofFirst), samples(ofSecond), ratios);
  }

  /**
   * What {@link #inTurn} has measured.
   *
   * @param first GB/s of all threads together
   * @param second the same
   * @param secondOverFirst of each pair
   */
  record Pairs(Samples first, Samples second, List<Double> secondOverFirst) {}

  /**
   * Measures a case in as many JVMs as {@link #inTurn} does, by its own counters.
   *
   * @return what they counted, by iteration
   */
  List<Map<String, Double>> counters(Case what) throws IOException {
    List<Map<String, Double>> counters = new ArrayList<>();
    for (IterationResult iteration : iterations(what, pairs())) {
      Map<String, Double> ofIteration = new HashMap<>();
      iteration
          .getSecondaryResults()
          .forEach((name, result) -> ofIteration.put(name, result.getScore()));
      counters.add(ofIteration);
    }
    return counters;
  }

  private int pairs() {
    return quick ? forks : Math.max(forks, LEAST_PAIRS);
  }

  private static Samples samples(List<Double> values) {
    return Samples.of(values, Double::doubleValue);
  }

  private List<Double> measure(Case what, int forks) throws IOException {
    return iterations(what, forks).stream()
        .map(iteration -> iteration.getPrimaryResult().getScore() * what.bytes() / 1e9)
        .toList();
  }

  private List<IterationResult> iterations(Case what, int forks) throws IOException {
    Path log = logs.resolve("jmh-" + ++count + ".log");
    List<String> options = new ArrayList<>(JVM_OPTIONS);
    options.addAll(what.jvmOptions());
    ChainedOptionsBuilder builder =
        new OptionsBuilder()
            .include("^" + Pattern.quote(what.benchmark().getName()) + "\\.")
            .threads(what.threads())
            .forks(forks)
            .warmupIterations(quick ? 2 : 3)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(quick ? 3 : 5)
            .measurementTime(TimeValue.seconds(quick ? 1 : 2))
            .jvmArgs(options.toArray(String[]::new))
            .shouldFailOnError(true)
            .output(log.toString());
    what.parameters().forEach(builder::param);
    try {
      List<IterationResult> iterations = new ArrayList<>();
      for (BenchmarkResult fork : new Runner(builder.build()).runSingle().getBenchmarkResults()) {
        iterations.addAll(fork.getIterationResults());
      }
      return iterations;
    } catch (RunnerException e) {
      throw new IOException(
          what.benchmark().getSimpleName()
              + " with "
              + what.parameters()
              + " failed; its log is "
              + log,
          e);
    }
  }
}
