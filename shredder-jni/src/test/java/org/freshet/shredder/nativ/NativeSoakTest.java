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
package org.freshet.shredder.nativ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A million calls of each kind and more, good ones and refused ones. Run with {@code
 * -Dtest.excluded.groups= -Dtest=NativeSoakTest}.
 */
@Tag("soak")
@NeedsNative
class NativeSoakTest {
  private static final int FORMS = DigestForm.upTo(InstructionLevel.best());
  private static final int LEVEL = InstructionLevel.best().code();

  /** What is lost at each call is lost in every round; what only comes late, in one of them. */
  private static final int ROUNDS = 3;

  private static final int CALLS = 500_000;

  /**
   * In a round, of the process and of the heap. The least that malloc gives is 32 bytes a call, 15
   * MiB in a round, and a reference that is never given back takes 8.
   */
  private static final long MOST_GROWTH = 1L << 20;

  private final byte[] bytes = Noise.bytes(4000, 3);
  private final ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);

  private enum Kind {
    SEARCHES(NativeSoakTest::searches),
    DIGESTS(NativeSoakTest::digests),
    BLAKE3(NativeSoakTest::blake3),
    BLAKE3_UPDATES(NativeSoakTest::blake3Updates),
    REFUSED(NativeSoakTest::refused);

    private final ObjIntConsumer<NativeSoakTest> calls;

    Kind(ObjIntConsumer<NativeSoakTest> calls) {
      this.calls = calls;
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void manyCallsNeedNoMoreMemoryThanAFew(Kind kind) throws Exception {
    assumeThat(kind == Kind.DIGESTS && FORMS == 0).isFalse();
    // With a heap that neither grows nor shrinks, so that the process's memory tells.
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms128m",
                "-Xmx128m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Rounds.class.getName(),
                kind.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    List<String> rounds = output.lines().toList();
    assertThat(rounds).hasSize(ROUNDS);
    for (int what = 0; what < 2; what++) {
      int column = what;
      assertThat(rounds.stream().mapToLong(round -> numbers(round)[column]).min().orElseThrow())
          .as("growth of %s in a round, of these: %s", what == 0 ? "process" : "heap", rounds)
          .isLessThan(MOST_GROWTH);
    }
  }

  private static long[] numbers(String line) {
    return Pattern.compile(" ").splitAsStream(line).mapToLong(Long::parseLong).toArray();
  }

  /** What the other process runs: prints by how much process and heap have grown, each round. */
  static final class Rounds {
    public static void main(String[] args) throws Exception {
      NativeLibrary.load();
      ObjIntConsumer<NativeSoakTest> calls = Kind.valueOf(args[0]).calls;
      NativeSoakTest test = new NativeSoakTest();
      test.direct.put(0, test.bytes);
      calls.accept(test, CALLS / 2);
      for (int round = 0; round < ROUNDS; round++) {
        long heap = usedHeap();
        long process = residentBytes();
        calls.accept(test, CALLS);
        System.out.println((residentBytes() - process) + " " + (usedHeap() - heap));
      }
    }
  }

  private static void collectNowAndThen(int call) {
    if (call % 50_000 == 0) {
      // Rules are freed when the collector finds them; that it could wait is no leak.
      System.gc();
    }
  }

  private void searches(int count) {
    CandidateRule[] rules = {
      CandidateRule.Gear.everyBytes(64),
      CandidateRule.SievedGear.everyBytes(2048),
      CandidateRule.Rabin.published(6, 1),
      CandidateRule.Rabin.published(12, 1)
    };
    NativeFinder[] finders = new NativeFinder[rules.length];
    for (int i = 0; i < count; i++) {
      collectNowAndThen(i);
      int which = i % rules.length;
      if (i % 1000 < rules.length) {
        finders[which] = new NativeFinder(rules[which], InstructionLevel.best());
      }
      NativeFinder finder = finders[which];
      if (i / rules.length % 2 == 0) {
        finder.find(bytes, 63, bytes.length);
      } else {
        finder.find(direct, 63, bytes.length);
      }
    }
  }

  /** Where the pieces of three chunks lie, in an array and in a buffer. */
  private final byte[][] arrays = {bytes, null};

  private final ByteBuffer[] buffers = {null, direct};
  private final int[] ends = {2, 4, 5};
  private final int[] places = {0, 0, 300, 1, 300, 1000, 1, 0, 70, 0, 10, 80, 0, 0, 0};

  private void digests(int count) {
    int[] states = new int[8 * ends.length];
    long[] done = new long[ends.length];
    for (int i = 0; i < count; i++) {
      collectNowAndThen(i);
      done[0] = 0;
      done[1] = 0;
      done[2] = 0;
      NativeCalls.digest(FORMS, Long.MAX_VALUE, false, arrays, buffers, places, ends, states, done);
    }
  }

  private void blake3(int count) {
    byte[] digests = new byte[32 * ends.length];
    for (int i = 0; i < count; i++) {
      collectNowAndThen(i);
      NativeCalls.blake3(i % (LEVEL + 1), arrays, buffers, places, ends, digests);
    }
  }

  private void blake3Updates(int count) {
    byte[] state = new byte[NativeCalls.blake3StateBytes()];
    byte[] digest = new byte[32];
    for (int i = 0; i < count; i++) {
      collectNowAndThen(i);
      switch (i % 3) {
        case 0 -> NativeCalls.blake3Update(LEVEL, state, bytes, null, 0, 1500);
        case 1 -> NativeCalls.blake3Update(LEVEL, state, null, direct, 100, 1200);
        default -> {
          NativeCalls.blake3End(LEVEL, state, digest);
          state = new byte[state.length];
        }
      }
    }
  }

  /** Of each call, one for each of its arguments that can be wrong, by turns. */
  private void refused(int count) {
    ByteBuffer rule = ByteBuffer.allocateDirect(NativeCalls.ruleBytes());
    NativeCalls.prepareGear(rule, 0, 1L << 50);
    ByteBuffer small = ByteBuffer.allocateDirect(8);
    ByteBuffer onHeap = ByteBuffer.wrap(bytes);
    int[] outside = places.clone();
    outside[5] = bytes.length + 1;
    ByteBuffer[] noDirect = {null, onHeap};
    byte[][] missing = {null, null};
    byte[] digests = new byte[32 * ends.length];
    int[] states = new int[8 * ends.length];
    long[] done = new long[ends.length];
    byte[] state = new byte[NativeCalls.blake3StateBytes()];
    int beyond = bytes.length + 1;
    List<ThrowingCallable> calls =
        List.of(
            () -> NativeCalls.prepareGear(small, 0, 1),
            () -> NativeCalls.prepareSievedGear(small, 1),
            () -> NativeCalls.prepareRabin(rule, 0, 48, 13, 0),
            () -> NativeCalls.searchArray(small, 0, bytes, 63, bytes.length),
            () -> NativeCalls.searchArray(rule, 0, bytes, 63, beyond),
            () -> NativeCalls.searchArray(rule, 99, bytes, 63, bytes.length),
            () -> NativeCalls.searchArray(rule, 0, null, 63, bytes.length),
            () -> NativeCalls.searchDirect(rule, 0, onHeap, 63, bytes.length),
            () -> NativeCalls.searchDirect(rule, 0, direct, 63, beyond),
            () -> digest(arrays, buffers, outside, states, done),
            () -> digest(arrays, noDirect, places, states, done),
            () -> digest(missing, buffers, places, states, done),
            () -> digest(arrays, buffers, places, new int[1], done),
            () -> NativeCalls.blake3(LEVEL, arrays, buffers, outside, ends, digests),
            () -> NativeCalls.blake3(LEVEL, arrays, noDirect, places, ends, digests),
            () -> NativeCalls.blake3(LEVEL, missing, buffers, places, ends, digests),
            () -> NativeCalls.blake3(LEVEL, arrays, buffers, places, ends, new byte[1]),
            () -> NativeCalls.blake3(99, arrays, buffers, places, ends, digests),
            () -> NativeCalls.blake3Update(LEVEL, state, bytes, null, 0, beyond),
            () -> NativeCalls.blake3Update(LEVEL, state, null, onHeap, 0, 10),
            () -> NativeCalls.blake3Update(LEVEL, new byte[1], bytes, null, 0, 10),
            () -> NativeCalls.blake3End(LEVEL, state, new byte[1]),
            () -> NativeCalls.blake3End(LEVEL, null, digests));
    for (int i = 0; i < count; i++) {
      collectNowAndThen(i);
      requireRefused(calls.get(i % calls.size()), i % calls.size());
    }
  }

  private void digest(
      byte[][] arrays, ByteBuffer[] buffers, int[] places, int[] states, long[] done) {
    NativeCalls.digest(
        Math.max(1, FORMS), Long.MAX_VALUE, false, arrays, buffers, places, ends, states, done);
  }

  private static void requireRefused(ThrowingCallable call, int number) {
    try {
      call.call();
    } catch (NullPointerException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return;
    } catch (Throwable e) {
      throw new AssertionError("Call " + number, e);
    }
    throw new AssertionError("Call " + number + " is not refused");
  }

  /** Of what is still referred to. */
  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long residentBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
