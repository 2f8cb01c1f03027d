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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What an edit does to the cuts: that for which content decides over them. */
class EditLocalityTest {
  private static final Backend JAVA = new JavaBackend();

  @Provide
  Arbitrary<CandidateRule> rules() {
    return Rules.dense();
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Rules.content(5000);
  }

  /** The law, for chunks without minimum and maximum: cuts out of the edit's reach stay. */
  @Property(tries = 200)
  void cutsStayButForThoseWithTheEditInTheirWindow(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] content,
      @ForAll Edit edit,
      @ForAll long seed) {
    if (content.length == 0) {
      return;
    }
    Random random = new Random(seed);
    int at = random.nextInt(content.length);
    byte[] edited = edit.apply(content, at, (byte) random.nextInt());
    int moved = edited.length - content.length;
    ChunkerConfig config =
        new ChunkerConfig(
            rule, 1, ChunkerConfig.NO_MAXIMUM, RecordAlignment.none(), DigestAlgorithm.SHA_256);

    // The first position that differs is behind the byte at `at`; the last has it as its first.
    List<Long> before = cuts(config, content);
    List<Long> after = cuts(config, edited);
    int window = rule.window();

    // The end of the source is a cut, too; it is out of reach only if both have it.
    int last = Math.min(at, edited.length - 1);
    assertThat(upTo(after, last)).isEqualTo(upTo(before, last));
    assertThat(from(after, at + window + 1 + Math.max(0, moved), 0))
        .isEqualTo(from(before, at + window + 1 + Math.max(0, moved) - moved, moved));
  }

  private static List<Long> cuts(ChunkerConfig config, byte[] content) {
    List<Long> cuts = new ArrayList<>();
    new Chunker(config, JAVA).boundaries(content, cuts::add);
    return cuts;
  }

  private static List<Long> upTo(List<Long> cuts, long position) {
    return cuts.stream().filter(cut -> cut <= position).toList();
  }

  private static List<Long> from(List<Long> cuts, long position, long plus) {
    return cuts.stream().filter(cut -> cut >= position).map(cut -> cut + plus).toList();
  }

  @Test
  void anEditedByteChangesTwoChunksAtMost() {
    byte[] content = Sources.random(2 << 20, 7);

    for (CandidateRule rule :
        List.of(
            CandidateRule.Rabin.published(14, 0x78),
            CandidateRule.Gear.masked(14, 0),
            CandidateRule.SievedGear.everyBytes(1 << 14))) {
      ChunkerConfig published =
          new ChunkerConfig(
              rule, 1, ChunkerConfig.NO_MAXIMUM, RecordAlignment.none(), DigestAlgorithm.SHA_256);

      assertThat(chunksChanged(published, content, 60)).isBetween(0.9, 1.1);
    }
  }

  @Test
  void anEditedByteOfALineChangesOneChunkAndSeldomTwo() {
    byte[] content = Sources.bytes(Sources.lines(30_000, 7));
    ChunkerConfig lines =
        ChunkerConfig.builder()
            .rabin()
            .maskBits(14)
            .marker(0x78)
            .minSize(4096)
            .maxSize(65_536)
            .alignment(RecordAlignment.lines())
            .build();

    assertThat(chunksChanged(lines, content, 60)).isBetween(1.0, 1.05);
  }

  /** In the mean; fails where an edit changes more than two. */
  private static double chunksChanged(ChunkerConfig config, byte[] content, int edits) {
    Chunker chunker = new Chunker(config, JAVA);
    List<Chunk> before = chunker.chunk(content);
    Random random = new Random(9);
    int changed = 0;
    for (int i = 0; i < edits; i++) {
      Edit edit = Edit.values()[i % Edit.values().length];
      int at = random.nextInt(content.length);
      while (content[at] == '\n') {
        at++;
      }
      byte[] edited = edit.apply(content, at, (byte) 'X');
      int fresh = fresh(before, chunker.chunk(edited));
      assertThat(fresh).as("%s at %d", edit, at).isLessThanOrEqualTo(2);
      changed += fresh;
    }
    return (double) changed / edits;
  }

  private static int fresh(List<Chunk> before, List<Chunk> after) {
    Map<String, Integer> known = new HashMap<>();
    before.forEach(chunk -> known.merge(key(chunk), 1, Integer::sum));
    int fresh = 0;
    for (Chunk chunk : after) {
      fresh += known.merge(key(chunk), -1, Integer::sum) < 0 ? 1 : 0;
    }
    return fresh;
  }

  private static String key(Chunk chunk) {
    return HexFormat.of().formatHex(chunk.digest());
  }

  enum Edit {
    INSERT {
      @Override
      byte[] apply(byte[] content, int at, byte value) {
        byte[] edited = new byte[content.length + 1];
        System.arraycopy(content, 0, edited, 0, at);
        edited[at] = value;
        System.arraycopy(content, at, edited, at + 1, content.length - at);
        return edited;
      }
    },
    DELETE {
      @Override
      byte[] apply(byte[] content, int at, byte value) {
        byte[] edited = new byte[content.length - 1];
        System.arraycopy(content, 0, edited, 0, at);
        System.arraycopy(content, at + 1, edited, at, edited.length - at);
        return edited;
      }
    },
    OVERWRITE {
      @Override
      byte[] apply(byte[] content, int at, byte value) {
        byte[] edited = content.clone();
        edited[at] = value;
        return edited;
      }
    };

    abstract byte[] apply(byte[] content, int at, byte value);
  }
}
