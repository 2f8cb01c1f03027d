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
package org.freshet.it.differential;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A MapReduce job as a pure value: what it reads, computes and writes, and how it is submitted.
 *
 * <p>Every job that {@link #generate} returns is legal on stock Hadoop, and its output does not
 * depend on how the input is split (a map-only job apart, which writes one file a split).
 *
 * @param api which of Hadoop's two APIs the user code is written against
 * @param input how the input is read
 * @param delimiter the record delimiter of text input; empty for line ends
 * @param map what the mapper does
 * @param threads the number of threads of a MultithreadedMapper, or 1 for the plain mapper
 * @param reduce what the reducer does; without meaning when {@code reduces} is 0
 * @param combiner the combiner, if any
 * @param partition how keys are given to reduces
 * @param sort the order of keys
 * @param grouped whether a grouping comparator is set
 * @param reduces the number of reduces, 0 to 5
 * @param codec the compression of the map output
 * @param output the output format
 * @param select how the input paths are named
 * @param submit how the job is submitted
 * @param splitBytes the largest split of the stock job, in bytes
 * @param packed whether the job has a job jar
 * @param salt the value of a property that some reducers read
 */
record RandomJob(
    Api api,
    InputKind input,
    String delimiter,
    MapKind map,
    int threads,
    ReduceKind reduce,
    Optional<ReduceKind.Combiner> combiner,
    Partition partition,
    Sort sort,
    boolean grouped,
    int reduces,
    MapCodec codec,
    OutputKind output,
    Select select,
    Submission submit,
    int splitBytes,
    boolean packed,
    String salt) {

  /** A delimiter by which nothing is cut. */
  private static final String OVERLAPPING = "||";

  private static final List<String> DELIMITERS =
      List.of(OVERLAPPING, "|", "<|>", "\r\n", "END\n", "\u00e9");

  /** The API of the map side and of the reduce side. */
  enum Api {
    NEW(true, true),
    OLD(false, false),
    OLD_MAP_NEW_REDUCE(false, true),
    NEW_MAP_OLD_REDUCE(true, false);

    final boolean newMap;
    final boolean newReduce;

    Api(boolean newMap, boolean newReduce) {
      this.newMap = newMap;
      this.newReduce = newReduce;
    }
  }

  /** How keys are given to reduces. */
  enum Partition {
    HASH,
    BY_LENGTH,
    ALL_TO_LAST,
    BY_WORD
  }

  /** The order of keys. */
  enum Sort {
    NATURAL,
    DESCENDING,
    CASE_INSENSITIVE
  }

  /** The compression of map outputs: the codecs that are pure Java. */
  enum MapCodec {
    NONE,
    DEFLATE,
    GZIP,
    BZIP2
  }

  /** The output format and its compression. */
  enum OutputKind {
    TEXT,
    TEXT_GZIP,
    TEXT_BZIP2,
    SEQUENCE,
    SEQUENCE_BLOCK
  }

  /** How the input paths are named. */
  enum Select {
    /** One directory. */
    DIRECTORY,
    /** Two directories. */
    DIRECTORIES,
    /** A glob over directories and file names. */
    GLOB,
    /** One directory, read recursively. */
    RECURSIVE,
    /** Every file by its name. */
    FILES
  }

  /** A job drawn from the generator; the same state gives the same job. */
  static RandomJob generate(Random random) {
    Api api =
        pick(
            random,
            Api.NEW,
            Api.NEW,
            Api.NEW,
            Api.OLD,
            Api.OLD,
            Api.OLD_MAP_NEW_REDUCE,
            Api.NEW_MAP_OLD_REDUCE);
    InputKind input = random.nextInt(10) < 6 ? InputKind.TEXT : pick(random, InputKind.values());
    MapKind map =
        input.shape == InputKind.Shape.LINES && random.nextInt(4) == 0
            ? MapKind.TOKENS
            : pick(random, Stream.of(MapKind.values()).filter(m -> m.reads(input)).toList());
    boolean mapOnly = random.nextInt(12) == 0 && api.newMap == api.newReduce;
    ReduceKind reduce =
        pick(random, Stream.of(ReduceKind.values()).filter(r -> r.takes(map)).toList());
    Optional<ReduceKind.Combiner> combiner =
        reduce.combiners().isEmpty() || random.nextInt(4) == 0
            ? Optional.empty()
            : Optional.of(pick(random, reduce.combiners()));
    boolean grouped = reduce == ReduceKind.SECONDARY;
    Sort sort = pick(random, Sort.NATURAL, Sort.NATURAL, Sort.NATURAL, Sort.DESCENDING);
    if (reduce == ReduceKind.LOWER_CASE_SUM && random.nextBoolean()) {
      sort = Sort.CASE_INSENSITIVE;
    }
    Partition partition =
        grouped
            ? Partition.BY_WORD
            : pick(
                random,
                Partition.HASH,
                Partition.HASH,
                Partition.HASH,
                Partition.BY_LENGTH,
                Partition.ALL_TO_LAST);
    return new RandomJob(
        api,
        input,
        input == InputKind.TEXT && random.nextInt(6) == 0 ? pick(random, DELIMITERS) : "",
        map,
        map == MapKind.TOKENS && api.newMap && !mapOnly && random.nextInt(6) == 0 ? 2 : 1,
        reduce,
        mapOnly ? Optional.empty() : combiner,
        partition,
        sort,
        grouped,
        mapOnly ? 0 : 1 + random.nextInt(5),
        random.nextInt(3) == 0 ? pick(random, MapCodec.values()) : MapCodec.NONE,
        random.nextInt(2) == 0 ? OutputKind.TEXT : pick(random, OutputKind.values()),
        mapOnly && input == InputKind.COMBINE ? Select.DIRECTORY : pick(random, Select.values()),
        submission(random, api),
        pick(random, 1 << 11, 1 << 13, 1 << 15, 1 << 25),
        random.nextInt(4) != 0,
        "salt");
  }

  private static Submission submission(Random random, Api api) {
    // JobClient takes jobs of the old API only, unless they set Hadoop's internal flags themselves.
    return api == Api.OLD
        ? pick(random, Submission.values())
        : pick(random, Submission.WAIT, Submission.SUBMIT_AND_POLL, Submission.TOOL_RUNNER);
  }

  /** Whether Freshet is expected to reuse chunks when only the input changes. */
  boolean reusable() {
    return reduces > 0
        && input != InputKind.NLINE
        && input != InputKind.COMBINE
        && !delimiter.equals(OVERLAPPING);
  }

  /** Whether the output is the same however the input is split. */
  boolean independentOfSplits() {
    return reduces > 0;
  }

  /** The parts that decide how it can be run incrementally, in one line. */
  String summary() {
    return "%s %s %s %s%s"
        .formatted(api, input, map, reduce, combiner.isPresent() ? " combined" : "");
  }

  RandomJob withSalt(String newSalt) {
    return new RandomJob(
        api,
        input,
        delimiter,
        map,
        threads,
        reduce,
        combiner,
        partition,
        sort,
        grouped,
        reduces,
        codec,
        output,
        select,
        submit,
        splitBytes,
        packed,
        newSalt);
  }

  RandomJob withReduces(int newReduces) {
    return new RandomJob(
        api,
        input,
        delimiter,
        map,
        threads,
        reduce,
        combiner,
        partition,
        sort,
        grouped,
        newReduces,
        codec,
        output,
        select,
        submit,
        splitBytes,
        packed,
        salt);
  }

  RandomJob withSplitBytes(int newSplitBytes) {
    return new RandomJob(
        api,
        input,
        delimiter,
        map,
        threads,
        reduce,
        combiner,
        partition,
        sort,
        grouped,
        reduces,
        codec,
        output,
        select,
        submit,
        newSplitBytes,
        packed,
        salt);
  }

  @SafeVarargs
  static <T> T pick(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  static <T> T pick(Random random, List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
