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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.RabinTables;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;

/**
 * How a rule is searched for on a device: by which kernel of {@code shredder.cu}, with which tables
 * and numbers. Immutable.
 */
final class SearchKernel {
  /** Threads of a block, as the kernels are compiled for. */
  private static final int THREADS = 128;

  /** Bytes that a block searches at a time. */
  private static final int TILE = THREADS * 128;

  /** Room for the tables of any rule: two of 256 values. */
  static final int TABLE_BYTES = 2 * 256 * Long.BYTES;

  /**
   * Blocks for each multiprocessor: enough that all of its threads are in use, and few enough that
   * fetching the tables is no part of the work.
   */
  private static final int BLOCKS_PER_MULTIPROCESSOR = 16;

  /** Room for candidates, as a multiple of what random content has. */
  private static final int ROOM = 2;

  private static final int LEAST_ROOM = 1024;

  /** How the threads of a block get at the bytes. */
  enum Loads {
    /** Together, through shared memory. */
    TILED,
    /** Each by itself, from device memory. For comparison. */
    DIRECT
  }

  private final String name;
  private final int window;
  private final double meanGap;
  private final ByteBuffer tables;
  private final Object[] numbers;

  private SearchKernel(
      CandidateRule rule, String algorithm, Loads loads, ByteBuffer tables, Object... numbers) {
    this.name = algorithm + (loads == Loads.TILED ? "_tiled" : "_direct");
    this.window = rule.window();
    this.meanGap = rule.meanGap();
    this.tables = tables;
    this.numbers = numbers;
  }

  /** The kernel for {@code rule}. */
  static SearchKernel of(CandidateRule rule, Loads loads) {
    if (rule instanceof CandidateRule.Gear gear) {
      ByteBuffer table = direct(CandidateRule.Gear.table());
      return new SearchKernel(rule, "gear", loads, table, 0L, 0L, gear.first(), gear.width());
    }
    if (rule instanceof CandidateRule.SievedGear sieved) {
      ByteBuffer table = direct(CandidateRule.SievedGear.table());
      return new SearchKernel(
          rule,
          "gear",
          loads,
          table,
          CandidateRule.SievedGear.SIEVE_MASK,
          CandidateRule.SievedGear.SIEVE_MARKER,
          0L,
          sieved.width());
    }
    CandidateRule.Rabin rabin = (CandidateRule.Rabin) rule;
    RabinTables rolling = new RabinTables(rabin);
    long mask = (1L << rabin.maskBits()) - 1;
    return new SearchKernel(
        rule,
        "rabin",
        loads,
        direct(rolling.reduction(), rolling.leaving()),
        rabin.window(),
        rolling.shift(),
        mask,
        rabin.marker());
  }

  private static ByteBuffer direct(long[]... tables) {
    int values = Arrays.stream(tables).mapToInt(table -> table.length).sum();
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(values * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long[] table : tables) {
      for (long value : table) {
        bytes.putLong(value);
      }
    }
    return bytes;
  }

  /** Bytes before a position that decide over it. */
  int window() {
    return window;
  }

  /** What the kernel looks values up in, from its first byte to its last; never changed. */
  ByteBuffer tables() {
    return tables;
  }

  /**
   * How many candidates there is room for: more only come from content in which a rule finds far
   * more than in random bytes, such as long runs of one byte.
   */
  int room(int bytes) {
    return (int) Math.min(bytes, LEAST_ROOM + (long) (ROOM * bytes / meanGap));
  }

  /**
   * Launches the kernel.
   *
   * @param data holds the bytes to search
   * @param first index in {@code data} of the first byte behind which to look; at least {@code
   *     window() - 1}
   * @param end index behind the last
   * @param found gets the number of candidates and, up to {@code room}, their positions
   */
  void launch(
      CudaStream stream,
      int multiprocessors,
      DeviceMemory data,
      int first,
      int end,
      DeviceMemory found,
      int room,
      DeviceMemory tablesOnDevice)
      throws CudaCallException {
    int tiles = (end - 1) / TILE + 1;
    int blocks = Math.min(tiles, BLOCKS_PER_MULTIPROCESSOR * multiprocessors);
    Stream<Object> common = Stream.of(data, first, end, found, room, tablesOnDevice);
    Object[] arguments = Stream.concat(common, Arrays.stream(numbers)).toArray();
    stream.launch(name, blocks, THREADS, arguments);
  }
}
