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
package org.freshet.mapreduce.reduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.lib.TokenCountMapper;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunDigests;
import org.freshet.mapreduce.run.RunFixture;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.ContentGroupedTree;
import org.freshet.slider.Digest;
import org.freshet.slider.Grouping;
import org.freshet.slider.TreeShape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leaves of a word count over one file of three lines, "b a", "d c" and "f e". */
class LostRunsTest {
  /** What comes again and again in a SequenceFile, in bytes. */
  private static final int ESCAPE_AND_MARKER = 20;

  @TempDir private java.nio.file.Path temporary;
  private RunFixture fixture;
  private java.nio.file.Path input;

  /** What the plan says of splits; null where it says nothing. */
  private String splitLag;

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  @BeforeEach
  void makeJob() throws IOException {
    fixture = new RunFixture(temporary);
    input = Files.writeString(temporary.resolve("input"), "b a\nd c\nf e\n");
    fixture.job.setUseNewMapper(true);
    fixture.job.setClass(MRJobConfig.MAP_CLASS_ATTR, TokenCounterMapper.class, Mapper.class);
    fixture.job.setNumReduceTasks(1);
    fixture.job.set(
        "freshet.internal.lineage.dir", temporary.resolve("lineage").toUri().toString());
    fixture.job.set("freshet.internal.run", "r1");
  }

  private void draft(String wholeFiles, LeafEntry... leaves) throws IOException {
    Path path = new Path(input.toUri());
    FileSystem fs = path.getFileSystem(fixture.job);
    Manifest.Builder draft =
        Manifest.builder("r1")
            .treeParameters("fan-in 2")
            .addFile(
                new FileEntry(
                    path.toString(),
                    FileVersion.of(fs, fs.getFileStatus(path)).toString(),
                    Files.size(input)))
            .addRun(new RunEntry("r1", List.of()))
            .addLeaves(Arrays.asList(leaves))
            .property("whole.files", wholeFiles);
    if (splitLag != null) {
      draft.property(RunPlaces.SPLIT_LAG, splitLag);
    }
    try (var out = fs.create(RunPlaces.draft(RunPlaces.runDir(fixture.job)))) {
      draft.build().write(out);
    }
  }

  private LostRuns lost() {
    return new LostRuns(
        fixture.job, new LeafRemapper(fixture.job, fixture.task, fixture.reporter, fixture.local));
  }

  /** The words of a run, in its order. */
  private static String words(Run run) throws IOException {
    try (InputStream in = run.open()) {
      byte[] bytes = in.readAllBytes();
      // A checksum of four bytes ends it.
      return new String(bytes, 0, bytes.length - 4, UTF_8).replaceAll("[^a-z]", "");
    }
  }

  @Test
  void aLeafIsMadeAgainFromJustItsChunk() throws Exception {
    draft(
        "",
        new LeafEntry(digest("1"), 0, 0, 4, 0),
        new LeafEntry(digest("2"), 0, 4, 4, 0),
        new LeafEntry(digest("3"), 0, 8, 4, 0));
    LostRuns lost = lost();

    List<String> words = new ArrayList<>();
    for (String leaf : List.of("2", "1", "3")) {
      Run run = lost.remap(digest(leaf), 0);
      assertThat(run.content()).isEqualTo(RunDigests.of(run));
      words.add(words(run).substring(0, 2));
    }

    assertThat(words).containsExactly("cd", "ab", "ef");
  }

  /** The words of leaves that end at these offsets, made again the last one first. */
  private List<String> remapped(Class<?> inputFormat, int splitLag, long... ends) throws Exception {
    fixture.job.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, inputFormat.getName());
    this.splitLag = Integer.toString(splitLag);
    LeafEntry[] leaves = new LeafEntry[ends.length];
    for (int i = 0; i < ends.length; i++) {
      long start = i == 0 ? 0 : ends[i - 1];
      leaves[i] = new LeafEntry(digest("leaf " + i), 0, start, ends[i] - start, 0);
    }
    draft("", leaves);
    LostRuns lost = lost();
    List<String> words = new ArrayList<>();
    for (int i = ends.length - 1; i >= 0; i--) {
      words.add(0, words(lost.remap(digest("leaf " + i), 0)));
    }
    return words;
  }

  @Test
  void aLeafOfDelimitedTextIsMadeAgainFromJustItsChunk() throws Exception {
    Files.writeString(input, "b a<end>d c<end>f e<end>");
    fixture.job.set("textinputformat.record.delimiter", "<end>");

    assertThat(remapped(TextInputFormat.class, "<end>".length(), 8, 16, 24))
        .containsExactly("ab", "cd", "ef");
  }

  @Test
  void aLeafOfRecordsOfFixedLengthIsMadeAgainFromJustItsChunk() throws Exception {
    Files.writeString(input, "abcdef");
    FixedLengthInputFormat.setRecordLength(fixture.job, 1);
    fixture.job.setClass(MRJobConfig.MAP_CLASS_ATTR, Records.class, Mapper.class);

    assertThat(remapped(FixedLengthInputFormat.class, 0, 2, 3, 6))
        .containsExactly("ab", "c", "def");
  }

  /** Counts records. */
  public static final class Records extends Mapper<LongWritable, BytesWritable, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, BytesWritable record, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(record.copyBytes()), new IntWritable(1));
    }
  }

  @Test
  void aLeafOfASequenceFileIsMadeAgainFromJustItsChunk() throws Exception {
    Files.delete(input);
    long[] ends = new long[3];
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            fixture.job,
            SequenceFile.Writer.file(new Path(input.toUri())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(Text.class))) {
      String[] values = {"b a", "d c", "f e"};
      for (int i = 0; i < values.length; i++) {
        writer.append(new Text("key"), new Text(values[i]));
        writer.sync();
        ends[i] = writer.getLength();
      }
    }

    assertThat(remapped(SequenceFileInputFormat.class, ESCAPE_AND_MARKER, ends))
        .containsExactly("ab", "cd", "ef");
  }

  @Test
  void aLeafMadeTwiceIsTheSame() throws Exception {
    draft("", new LeafEntry(digest("1"), 0, 0, 12, 0));
    LostRuns lost = lost();

    assertThat(lost.remap(digest("1"), 0).content())
        .isEqualTo(lost.remap(digest("1"), 0).content());
  }

  @Test
  void aLeafOfAFileThatWasNotCutIsMadeAgainFromTheOriginalSplit() throws Exception {
    draft("0", new LeafEntry(digest("2"), 0, 4, 4, 0));

    // As a split of bytes 4 to 8 it begins within no line of its own: stock reads what follows.
    assertThat(words(lost().remap(digest("2"), 0))).startsWith("ef");
  }

  @Test
  void whatIsMappedAgainIsNotCountedAgain() throws Exception {
    draft("", new LeafEntry(digest("1"), 0, 0, 12, 0));
    fixture.reporter.incrCounter(TaskCounter.MAP_OUTPUT_RECORDS, 5);

    lost().remap(digest("1"), 0);

    assertThat(fixture.reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS).getValue()).isEqualTo(5);
    assertThat(fixture.reporter.getCounter(TaskCounter.SPILLED_RECORDS).getValue()).isZero();
  }

  @Test
  void theJobsOwnPartitionerDecidesWhatALeafHoldsForAPartition() throws Exception {
    fixture.job.setNumReduceTasks(2);
    draft("", new LeafEntry(digest("1"), 0, 0, 12, 0));
    LostRuns lost = lost();

    String first = words(lost.remap(digest("1"), 0));
    String second = words(lost.remap(digest("1"), 1));

    assertThat(first.length() + second.length()).isGreaterThanOrEqualTo(6);
    for (char word = 'a'; word <= 'f'; word++) {
      int partition = (new Text(String.valueOf(word)).hashCode() & Integer.MAX_VALUE) % 2;
      assertThat(partition == 0 ? first : second).contains(String.valueOf(word));
    }
  }

  @Test
  void anOldApiLeafIsMadeAgainWithItsRunner() throws Exception {
    fixture.job.setUseNewMapper(false);
    fixture.job.setMapperClass(TokenCountMapper.class);
    fixture.job.setMapOutputValueClass(LongWritable.class);
    draft("", new LeafEntry(digest("2"), 0, 4, 4, 0));

    assertThat(words(lost().remap(digest("2"), 0))).startsWith("cd");
  }

  @Test
  void aFileThatChangedSinceThePlanCanNotReplaceALostRun() throws Exception {
    draft("", new LeafEntry(digest("1"), 0, 0, 12, 0));
    Files.writeString(input, "x y\nz z\nz z\n");

    assertThatThrownBy(() -> lost().remap(digest("1"), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("input")
        .hasMessageContaining("Run the job again");
  }

  @Test
  void aRunThatThePlanDoesNotHaveIsNamed() throws Exception {
    draft("", new LeafEntry(digest("1"), 0, 0, 12, 0));

    assertThatThrownBy(() -> lost().remap(digest("other"), 0))
        .hasMessageContaining(digest("other").hex());
  }

  @Test
  void nodesAreToldFromLeavesByTheTreeOfThePlan() throws Exception {
    List<Digest> ids = new ArrayList<>();
    List<LeafEntry> leaves = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ids.add(digest("leaf " + i));
      leaves.add(new LeafEntry(ids.get(i), 0, 0, 12, 0));
    }
    draft("", leaves.toArray(new LeafEntry[0]));
    TreeShape tree = ContentGroupedTree.shape(ids, new Grouping(2, 8));
    LostRuns lost = lost();

    for (TreeShape.Node node : tree.nodes()) {
      assertThat(lost.children(node.id()))
          .isEqualTo(Arrays.stream(node.children()).mapToObj(tree::id).toList());
    }
    assertThat(lost.children(ids.get(0))).isNull();
    assertThat(lost.children(digest("other"))).isNull();
  }
}
