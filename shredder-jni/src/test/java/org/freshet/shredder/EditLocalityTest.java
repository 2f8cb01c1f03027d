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
package org.freshet.shredder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an edit does to the cuts: that for which content decides over them. */
class EditLocalityTest {
  /*
   * What can be said for certain, and is in the properties:
   *
   *   Without minimum and maximum, candidates are the cuts, and those out of the edit's reach stay: the
   *   window's length behind it. So one chunk changes, and one more for each cut that the edit makes.
   *   With lines, the reach ends with the line, and if it is all in one line, there is one place for a cut:
   *   one chunk changes, or two if the cut at that line's end comes or goes.
   *
   *   With minimum and maximum, where a chunk begins matters, too. From the first cut behind the edit's reach
   *   that was a cut before, all are as before.
   *
   * How many chunks that are is a matter of chance: the tests below count them.
   */

  private static final Backend JAVA = new JavaBackend();
  private static final int EDITS = 300;
  private static final int LONGEST_EDIT = 200;

  /** Which bytes are replaced by which. */
  private record Edit(int at, int removed, byte[] inserted) {
    byte[] apply(byte[] content) {
      byte[] edited = new byte[content.length + moved()];
      System.arraycopy(content, 0, edited, 0, at);
      System.arraycopy(inserted, 0, edited, at, inserted.length);
      System.arraycopy(content, at + removed, edited, end(), edited.length - end());
      return edited;
    }

    /** Behind what is inserted. */
    int end() {
      return at + inserted.length;
    }

    /** By how much what comes behind it is moved. */
    int moved() {
      return inserted.length - removed;
    }
  }

  private enum Kind {
    INSERT {
      @Override
      Edit edit(int at, byte[] bytes) {
        return new Edit(at, 0, bytes);
      }
    },
    DELETE {
      @Override
      Edit edit(int at, byte[] bytes) {
        return new Edit(at, bytes.length, new byte[0]);
      }
    },
    OVERWRITE {
      @Override
      Edit edit(int at, byte[] bytes) {
        return new Edit(at, bytes.length, bytes);
      }
    };

    /** At {@code at}, of as many bytes as there are in {@code bytes}. */
    abstract Edit edit(int at, byte[] bytes);
  }

  /** The cuts of some content before an edit and after it. */
  private record Cuts(List<Long> before, List<Long> after, Edit edit) {
    static Cuts of(ChunkerConfig config, byte[] content, Edit edit) {
      return new Cuts(cuts(config, content), cuts(config, edit.apply(content)), edit);
    }

    private static List<Long> cuts(ChunkerConfig config, byte[] content) {
      List<Long> cuts = new ArrayList<>();
      new Chunker(config, JAVA).boundaries(content, cuts::add);
      return cuts;
    }

    /** Of those before, where they would be now. */
    List<Long> beforeMoved() {
      return before.stream().map(cut -> cut + edit.moved()).toList();
    }

    /** In front of the edit, but for the end of either source. */
    void assertSameUpToTheEdit() {
      long upTo = Math.min(edit.at(), Math.min(end(before), end(after)) - 1);
      assertThat(in(after, 0, upTo)).isEqualTo(in(before, 0, upTo));
    }

    private static long end(List<Long> cuts) {
      return cuts.isEmpty() ? 0 : cuts.get(cuts.size() - 1);
    }

    /** How many chunks there are now whose bytes or neighbours' ends have changed. */
    int changed() {
      int same = 0;
      while (same < Math.min(before.size(), after.size())
          && before.get(same) <= edit.at()
          && before.get(same).equals(after.get(same))) {
        same++;
      }
      List<Long> moved = beforeMoved();
      int sameAtEnd = 0;
      while (sameAtEnd < Math.min(before.size(), after.size()) - same
          && after.get(after.size() - 1 - sameAtEnd) > edit.end()
          && moved
              .get(moved.size() - 1 - sameAtEnd)
              .equals(after.get(after.size() - 1 - sameAtEnd))) {
        sameAtEnd++;
      }
      // The first of the cuts that are the same ends a chunk that is not.
      return after.size() - same - sameAtEnd + (sameAtEnd > 0 ? 1 : 0);
    }
  }

  /** Above {@code above} and not above {@code upTo}. */
  private static List<Long> in(List<Long> cuts, long above, long upTo) {
    return cuts.stream().filter(cut -> cut > above && cut <= upTo).toList();
  }

  private static ChunkerConfig unlimited(CandidateRule rule, RecordAlignment alignment) {
    return new ChunkerConfig(rule, 1, ChunkerConfig.NO_MAXIMUM, alignment, DigestAlgorithm.SHA_256);
  }

  /** Somewhere in the content, of up to so many bytes. */
  private static Edit edit(Kind kind, byte[] content, int most, Random random) {
    byte[] bytes = new byte[1 + random.nextInt(Math.min(most, content.length))];
    random.nextBytes(bytes);
    return kind.edit(random.nextInt(content.length - bytes.length + 1), bytes);
  }

  @Provide
  Arbitrary<CandidateRule> rules() {
    return Rules.dense();
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Rules.content(5000);
  }

  /** The law, for chunks without minimum and maximum: cuts out of the edit's reach stay. */
  @Property(tries = 300)
  void oneChunkChangesAndOneMoreForEachCutThatTheEditMakes(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] content,
      @ForAll Kind kind,
      @ForAll long seed) {
    if (content.length == 0) {
      return;
    }
    Edit edit = edit(kind, content, LONGEST_EDIT, new Random(seed));
    Cuts cuts = Cuts.of(unlimited(rule, RecordAlignment.none()), content, edit);

    // The last position that sees the edit has its last byte as the window's first.
    long reach = edit.end() + rule.window() - 1;
    cuts.assertSameUpToTheEdit();
    assertThat(in(cuts.after(), reach, Long.MAX_VALUE))
        .isEqualTo(in(cuts.beforeMoved(), reach, Long.MAX_VALUE));
    assertThat(cuts.changed()).isLessThanOrEqualTo(1 + in(cuts.after(), edit.at(), reach).size());
  }

  /** The law for lines: the reach goes on to the end of the line that it ends in. */
  @Property(tries = 300)
  void withLinesTheCutsBehindTheLastLineThatSeesTheEditStay(
      @ForAll("rules") CandidateRule rule,
      @ForAll @IntRange(min = 1, max = 300) int longestLine,
      @ForAll Kind kind,
      @ForAll long seed) {
    Random random = new Random(seed);
    byte[] content = lines(5000, longestLine, random);
    Edit edit = edit(kind, content, LONGEST_EDIT, random);
    byte[] edited = edit.apply(content);
    Cuts cuts = Cuts.of(unlimited(rule, RecordAlignment.lines()), content, edit);

    long reach = lineEnd(edited, edit.end() + rule.window() - 1);
    cuts.assertSameUpToTheEdit();
    assertThat(in(cuts.after(), reach, Long.MAX_VALUE))
        .isEqualTo(in(cuts.beforeMoved(), reach, Long.MAX_VALUE));
    assertThat(cuts.changed()).isLessThanOrEqualTo(1 + in(cuts.after(), edit.at(), reach).size());
  }

  /** What lines are good for: whatever the bytes are, there is no third chunk. */
  @Property(tries = 300)
  void anEditWithinALineChangesOneChunkOrTwoIfTheCutAtTheLinesEndComesOrGoes(
      @ForAll("rules") CandidateRule rule, @ForAll Kind kind, @ForAll long seed) {
    Random random = new Random(seed);
    byte[] content = lines(8000, 900, random);
    Edit edit = editWithinALine(kind, content, rule.window(), random);
    Cuts cuts = Cuts.of(unlimited(rule, RecordAlignment.lines()), content, edit);

    long end = lineEnd(edit.apply(content), edit.end());
    boolean isCut = cuts.after().contains(end);
    boolean wasCut = cuts.beforeMoved().contains(end);
    assertThat(cuts.changed()).isEqualTo(isCut && !wasCut ? 2 : 1);
    assertThat(cuts.after().size() - cuts.before().size())
        .isEqualTo((isCut ? 1 : 0) - (wasCut ? 1 : 0));
  }

  /** All positions that see the edit are within the line; it has no line feed. */
  private static Edit editWithinALine(Kind kind, byte[] content, int window, Random random) {
    while (true) {
      byte[] bytes = new byte[1 + random.nextInt(100)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) ('A' + random.nextInt(26));
      }
      Edit edit = kind.edit(random.nextInt(content.length - bytes.length - window), bytes);
      if (lineEnd(content, edit.at()) > edit.at() + edit.removed() + window) {
        return edit;
      }
    }
  }

  /** Where the line ends in which the byte at {@code index} is; where the source does, if none. */
  private static long lineEnd(byte[] content, long index) {
    for (int i = (int) index; i < content.length; i++) {
      if (content[i] == '\n') {
        return i + 1;
      }
    }
    return content.length;
  }

  private static byte[] lines(int length, int longest, Random random) {
    byte[] lines = new byte[length];
    int next = random.nextInt(longest);
    for (int i = 0; i < length; i++) {
      boolean ends = i == next || i == length - 1;
      lines[i] = (byte) (ends ? '\n' : 'a' + random.nextInt(26));
      next = i == next ? i + 1 + random.nextInt(longest) : next;
    }
    return lines;
  }

  /** The law with minimum and maximum, in which chunks depend on each other. */
  @Property(tries = 300)
  void fromTheFirstCutThatWasOneBeforeAllAreAsBefore(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] content,
      @ForAll @IntRange(min = 1, max = 200) int min,
      @ForAll @IntRange(min = 200, max = 800) int max,
      @ForAll boolean lines,
      @ForAll Kind kind,
      @ForAll long seed) {
    if (content.length == 0) {
      return;
    }
    RecordAlignment alignment = lines ? RecordAlignment.lines() : RecordAlignment.none();
    ChunkerConfig config = new ChunkerConfig(rule, min, max, alignment, DigestAlgorithm.SHA_256);
    Edit edit = edit(kind, content, LONGEST_EDIT, new Random(seed));
    Cuts cuts = Cuts.of(config, content, edit);

    long reach = edit.end() + rule.window() - 1;
    cuts.assertSameUpToTheEdit();
    List<Long> moved = cuts.beforeMoved();
    cuts.after().stream()
        .filter(cut -> cut > reach && moved.contains(cut))
        .findFirst()
        .ifPresent(
            same ->
                assertThat(in(cuts.after(), same, Long.MAX_VALUE))
                    .isEqualTo(in(moved, same, Long.MAX_VALUE)));
  }

  private enum Form {
    PUBLISHED(unlimited(CandidateRule.Rabin.published(12, 0x78), RecordAlignment.none())),
    PLAIN_GEAR(unlimited(CandidateRule.Gear.masked(12, 0), RecordAlignment.none())),
    SIEVED_GEAR(unlimited(CandidateRule.SievedGear.everyBytes(4096), RecordAlignment.none())),
    PUBLISHED_LINES(unlimited(CandidateRule.Rabin.published(12, 0x78), RecordAlignment.lines())),
    LIMITED(ChunkerConfig.withAverage(4096)),
    LIMITED_LINES(ChunkerConfig.withAverage(4096).with(RecordAlignment.lines())),
    PUBLISHED_LIMITED_LINES(
        ChunkerConfig.builder()
            .rabin()
            .maskBits(12)
            .marker(0x78)
            .minSize(1024)
            .maxSize(16_384)
            .alignment(RecordAlignment.lines())
            .build());

    private final ChunkerConfig config;

    Form(ChunkerConfig config) {
      this.config = config;
    }
  }

  /** Nineteen times of twenty one chunk changes; a third only where minimum and maximum count. */
  @ParameterizedTest
  @EnumSource(Form.class)
  void anEditedByteChangesOneChunkAndSeldomTwo(Form form) {
    int[] changed = chunksChanged(form.config, 1, value -> value != '\n');

    boolean limited = form.config.maxSize() < ChunkerConfig.NO_MAXIMUM;
    assertThat(changed[1]).isGreaterThanOrEqualTo(EDITS * 95 / 100);
    assertThat(changed[1] + changed[2]).isGreaterThanOrEqualTo(limited ? EDITS * 99 / 100 : EDITS);
  }

  /** The cut behind it, if there is one, moves to another line's end, which changes two. */
  @ParameterizedTest
  @ValueSource(strings = {"PUBLISHED_LINES", "LIMITED_LINES", "PUBLISHED_LIMITED_LINES"})
  void aLineFeedThatGoesChangesOneChunkAndSeldomTwo(Form form) {
    int[] changed = chunksChanged(form.config, 1, value -> value == '\n');

    assertThat(changed[1]).isGreaterThanOrEqualTo(EDITS * 90 / 100);
    assertThat(changed[1] + changed[2]).isGreaterThanOrEqualTo(EDITS * 98 / 100);
  }

  /** A quarter of a chunk makes cuts of its own now and then. */
  @ParameterizedTest
  @EnumSource(Form.class)
  void anEditOfManyBytesChangesAtMostThreeChunksNearlyAlways(Form form) {
    int[] changed = chunksChanged(form.config, 1000, value -> true);

    assertThat(changed[1]).isGreaterThanOrEqualTo(EDITS * 60 / 100);
    assertThat(changed[1] + changed[2] + changed[3]).isGreaterThanOrEqualTo(EDITS * 98 / 100);
  }

  /** What the laws leave open, and what a maximum costs where there are no candidates. */
  @Test
  void whereTheMaximumAloneCutsAnInsertedByteChangesAllChunksUpToTheNextCandidate() {
    byte[] content = Sources.random(200_000, 4);
    ChunkerConfig config =
        new ChunkerConfig(
            CandidateRule.Gear.masked(40, 0),
            1,
            1000,
            RecordAlignment.none(),
            DigestAlgorithm.SHA_256);

    assertThat(Cuts.of(config, content, Kind.INSERT.edit(50_500, new byte[1])).changed())
        .isEqualTo(200 - 50 + 1);
    assertThat(Cuts.of(config, content, Kind.OVERWRITE.edit(50_500, new byte[1])).changed())
        .isEqualTo(1);
  }

  /**
   * How many edits of some bytes change how many chunks; the last place is for all above.
   *
   * @param where which byte the edit begins at
   */
  private static int[] chunksChanged(ChunkerConfig config, int bytes, IntPredicate where) {
    Random random = new Random(9);
    boolean hasLines = config.alignment() != RecordAlignment.none();
    byte[] content = hasLines ? Sources.bytes(Sources.lines(4000, 7)) : Sources.random(240_000, 7);
    int[] changed = new int[5];
    for (int i = 0; i < EDITS; i++) {
      int at = random.nextInt(content.length - bytes);
      while (!where.test(content[at])) {
        at = random.nextInt(content.length - bytes);
      }
      byte[] other = new byte[bytes];
      for (int j = 0; j < bytes; j++) {
        other[j] = (byte) ('A' + random.nextInt(26));
      }
      Edit edit = Kind.values()[i % Kind.values().length].edit(at, other);
      changed[Math.min(changed.length - 1, Cuts.of(config, content, edit).changed())]++;
    }
    return changed;
  }
}
