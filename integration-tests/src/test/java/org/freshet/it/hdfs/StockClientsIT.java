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
package org.freshet.it.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.WordCount;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Options.ChecksumCombineMode;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.tools.DistCpOptions;
import org.apache.hadoop.tools.mapred.CopyMapper;
import org.apache.hadoop.util.ToolRunner;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.hdfs.io.IncrementalFileSystem;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.OutputSnapshot;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hadoop's own tools and jobs, without Freshet, over files that {@link IncrementalFileSystem}
 * wrote. Beside each file lies one with the same bytes that stock wrote: the oracle.
 */
@Tag("cluster")
@ExtendWith(MiniHadoopExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockClientsIT {
  private static final int BYTES = 12 << 20;
  private static final int CHUNK_BYTES = 64 << 10;
  private static final String TEXT = "text";
  private static final String SEQUENCE_FILE = "sequence-file";

  private final MiniHadoop hadoop;
  private DistributedFileSystem stock;
  private Path root;

  /** What Freshet's client wrote, by the file's name. */
  private Path written;

  /** The same bytes, written by stock. */
  private Path copies;

  StockClientsIT(MiniHadoop hadoop) {
    this.hadoop = hadoop;
  }

  @BeforeAll
  void write() throws IOException {
    stock = hadoop.hdfs();
    root = hadoop.fresh("stock-clients");
    written = new Path(root, "written");
    copies = new Path(root, "copies");
    List<String> lines = new NumberedLines(9).next(BYTES);
    try (FileSystem client = client()) {
      try (OutputStream out = client.create(new Path(written, TEXT))) {
        out.write((String.join("\n", lines) + "\n").getBytes(UTF_8));
      }
      try (FSDataOutputStream out = client.create(new Path(written, SEQUENCE_FILE));
          SequenceFile.Writer records =
              SequenceFile.createWriter(
                  conf(),
                  SequenceFile.Writer.stream(out),
                  SequenceFile.Writer.keyClass(Text.class),
                  SequenceFile.Writer.valueClass(Text.class))) {
        for (String line : lines) {
          records.append(new Text("key"), new Text(line));
        }
      }
    }
    FileUtil.copy(stock, written, stock, copies, false, conf());
  }

  private Configuration conf() {
    return hadoop.stock();
  }

  private FileSystem client() throws IOException {
    Configuration conf = hadoop.freshet(root);
    conf.set("fs.hdfs.impl", IncrementalFileSystem.class.getName());
    conf.setInt("freshet.chunk.average.bytes", CHUNK_BYTES);
    conf.unset("freshet.chunk.min.bytes");
    conf.unset("freshet.chunk.max.bytes");
    conf.setInt("freshet.hdfs.index.least.bytes", 1);
    return FileSystem.newInstance(stock.getUri(), conf);
  }

  private byte[] read(Path file) throws IOException {
    try (FSDataInputStream in = stock.open(file)) {
      return in.readAllBytes();
    }
  }

  /** Runs a command of Hadoop's shell, which must succeed, and gives what it prints. */
  private static byte[] shell(Configuration conf, String... arguments) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = System.out;
    try (PrintStream captured = new PrintStream(printed, false, UTF_8)) {
      System.setOut(captured);
      assertThat(ToolRunner.run(conf, new FsShell(), arguments)).isZero();
    } finally {
      System.setOut(out);
    }
    return printed.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {TEXT, SEQUENCE_FILE})
  void catGivesTheBytes(String name) throws Exception {
    byte[] bytes = shell(conf(), "-cat", new Path(written, name).toString());
    assertThat(bytes.length).isGreaterThanOrEqualTo(BYTES);
    assertThat(Arrays.equals(bytes, read(new Path(copies, name)))).isTrue();
  }

  /** Name of the algorithm and checksum, as the shell prints them. */
  private String checksum(Path file, ChecksumCombineMode mode) throws Exception {
    Configuration conf = conf();
    conf.set(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, mode.name());
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    String line = new String(shell(conf, "-checksum", file.toString()), UTF_8);
    return line.substring(line.indexOf('\t') + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {TEXT, SEQUENCE_FILE})
  void theChecksumOfTheContentIsThatOfTheCopy(String name) throws Exception {
    Path file = new Path(written, name);
    Path copy = new Path(copies, name);
    assertThat(checksum(file, ChecksumCombineMode.COMPOSITE_CRC))
        .startsWith("COMPOSITE-CRC32C")
        .isEqualTo(checksum(copy, ChecksumCombineMode.COMPOSITE_CRC));
    // HDFS's older checksum is one of the blocks' checksums: it differs where blocks end elsewhere.
    assertThat(checksum(file, ChecksumCombineMode.MD5MD5CRC))
        .startsWith("MD5-of-")
        .isNotEqualTo(checksum(copy, ChecksumCombineMode.MD5MD5CRC));
  }

  @Test
  void fsckFindsTheFilesHealthy() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    DFSck fsck = new DFSck(conf(), new PrintStream(printed, true, UTF_8));
    assertThat(ToolRunner.run(fsck, new String[] {written.toUri().getPath(), "-files"})).isZero();
    String report = printed.toString(UTF_8);
    assertThat(report)
        .contains("is HEALTHY")
        .contains(written.toUri().getPath() + "/" + TEXT)
        .containsPattern("Corrupt blocks:\\s+0")
        .containsPattern("Missing blocks:\\s+0");
  }

  @ParameterizedTest
  @ValueSource(strings = {TEXT, SEQUENCE_FILE})
  void blocksEndAtCutsOfTheIndexAndEveryClientSeesTheSame(String name) throws Exception {
    Path file = new Path(written, name);
    FileStatus status = stock.getFileStatus(file);
    BlockLocation[] blocks = stock.getFileBlockLocations(status, 0, status.getLen());
    try (FileSystem client = client()) {
      assertThat(client.getFileBlockLocations(file, 0, status.getLen()))
          .usingElementComparator((a, b) -> a.toString().compareTo(b.toString()))
          .containsExactly(blocks);
    }
    Set<Long> cuts = new HashSet<>();
    try (FileIndex index =
        FileIndexStore.of(conf()).lookUp(stock, status, Optional.empty()).index().orElseThrow()) {
      index.all().forEach(chunk -> cuts.add(chunk.end()));
    }
    assertThat(cuts).hasSizeGreaterThan(BYTES / CHUNK_BYTES / 2).contains(status.getLen());
    int atCuts = 0;
    for (BlockLocation block : blocks) {
      boolean atCut = cuts.contains(block.getOffset() + block.getLength());
      // Where no cut comes in time, HDFS ends a block when it is full.
      assertThat(atCut || block.getLength() == status.getBlockSize()).as("%s", block).isTrue();
      atCuts += atCut ? 1 : 0;
    }
    assertThat(atCuts).isGreaterThan(blocks.length / 2);
  }

  private DistCp copy(Path target, ChecksumCombineMode mode, boolean update) throws Exception {
    Configuration conf = hadoop.stockLocal();
    conf.set(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, mode.name());
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    return new DistCp(
        conf, new DistCpOptions.Builder(List.of(written), target).withSyncFolder(update).build());
  }

  @Test
  void distCpComparesAndCopiesThem() throws Exception {
    Path target = new Path(root, "distcp");
    Counters first = copy(target, ChecksumCombineMode.COMPOSITE_CRC, true).execute().getCounters();
    assertThat(first.findCounter(CopyMapper.Counter.BYTESCOPIED).getValue())
        .isGreaterThanOrEqualTo(2 * BYTES);
    for (String name : List.of(TEXT, SEQUENCE_FILE)) {
      assertThat(Arrays.equals(read(new Path(target, name)), read(new Path(copies, name))))
          .isTrue();
    }
    Counters second = copy(target, ChecksumCombineMode.COMPOSITE_CRC, true).execute().getCounters();
    assertThat(second.findCounter(CopyMapper.Counter.SKIP).getValue()).isEqualTo(2);
    assertThat(second.findCounter(CopyMapper.Counter.BYTESCOPIED).getValue()).isZero();
  }

  /** What the documentation warns of: the copy's blocks end where stock ends them. */
  @Test
  void distCpRefusesThemWhereItComparesTheChecksumsOfBlocks() throws Exception {
    DistCp copy = copy(new Path(root, "refused"), ChecksumCombineMode.MD5MD5CRC, false);
    assertThatThrownBy(copy::execute)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("DistCp failure");
  }

  @ParameterizedTest
  @ValueSource(strings = {TEXT, SEQUENCE_FILE})
  void aStockJobReadsThem(String name) throws Exception {
    OutputSnapshot expected = wordCount(hadoop.stockLocal(), name, copies);
    assertThat(expected.files()).hasSizeGreaterThan(1);
    assertThat(expected.difference(wordCount(hadoop.stock(), name, written))).isEmpty();
  }

  private OutputSnapshot wordCount(Configuration conf, String name, Path directory)
      throws Exception {
    Job job = Job.getInstance(conf);
    job.setJarByClass(WordCount.class);
    job.setInputFormatClass(
        name.equals(TEXT) ? TextInputFormat.class : SequenceFileInputFormat.class);
    job.setMapperClass(WordCount.TokenizerMapper.class);
    job.setCombinerClass(WordCount.IntSumReducer.class);
    job.setReducerClass(WordCount.IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    // As many maps as there are blocks would take a minute.
    FileInputFormat.setMinInputSplitSize(job, BYTES / 3);
    FileInputFormat.setInputPaths(job, new Path(directory, name));
    Path output = new Path(root, "counts-of-" + directory.getName() + "-" + name);
    FileOutputFormat.setOutputPath(job, output);
    assertThat(job.waitForCompletion(false)).isTrue();
    return OutputSnapshot.read(output, conf);
  }
}
