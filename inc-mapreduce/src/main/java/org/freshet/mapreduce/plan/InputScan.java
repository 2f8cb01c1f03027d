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
package org.freshet.mapreduce.plan;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.hdfs.format.FormatChoice;
import org.freshet.hdfs.format.RecordFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.hdfs.index.ChunkIndexer;
import org.freshet.hdfs.index.ChunkMode;
import org.freshet.hdfs.index.FileChunks;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.map.SplitKinds;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.SourceChangedException;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps a job's original splits onto leaves. Files of a format whose cuts are known become
 * content-defined chunks; every other split stays what it is and is named by the digests of the
 * whole files it reads from, since a reader may look before its start (a header) or past its end
 * (the last record).
 */
final class InputScan {
  /** Formats whose readers give a record nothing of the file's name. */
  private static final Set<String> PATH_BLIND =
      Set.of(
          "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.NLineInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsBinaryInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.CombineSequenceFileInputFormat",
          "org.apache.hadoop.mapred.TextInputFormat",
          "org.apache.hadoop.mapred.KeyValueTextInputFormat",
          "org.apache.hadoop.mapred.lib.NLineInputFormat",
          "org.apache.hadoop.mapred.FixedLengthInputFormat",
          "org.apache.hadoop.mapred.lib.CombineTextInputFormat",
          "org.apache.hadoop.mapred.SequenceFileInputFormat",
          "org.apache.hadoop.mapred.SequenceFileAsTextInputFormat",
          "org.apache.hadoop.mapred.SequenceFileAsBinaryInputFormat",
          "org.apache.hadoop.mapred.lib.CombineSequenceFileInputFormat",
          "org.apache.avro.mapreduce.AvroKeyInputFormat",
          "org.apache.avro.mapreduce.AvroKeyValueInputFormat",
          "org.apache.avro.mapred.AvroInputFormat",
          "org.apache.avro.mapred.AvroAsTextInputFormat");

  /** From this many files of a directory on, one listing is cheaper than asking for each. */
  private static final int LISTING_FROM = 8;

  private static final Logger LOG = LoggerFactory.getLogger(InputScan.class);
  private static final long PROGRESS_NANOS = 5_000_000_000L;

  private final JobConf conf;
  private final String format;
  private final FormatChoice choice;
  private final LeafNaming naming;
  private final boolean newApi;
  private final ChunkIndexer indexer;

  private final List<FileEntry> files = new ArrayList<>();
  private final Map<Path, Integer> fileIndex = new HashMap<>();
  private final List<Leaf> leaves = new ArrayList<>();
  private final Set<Integer> wholeFiles = new LinkedHashSet<>();
  private final Map<String, Integer> whyWhole = new TreeMap<>();
  private long toldNanos = System.nanoTime();

  /**
   * @param conf the job as the user made it
   * @param format class name of the original input format
   */
  InputScan(JobConf conf, String format, boolean newApi, LeafNaming naming, ChunkIndexer indexer) {
    this.conf = conf;
    this.format = format;
    this.choice = RecordFormats.of(format, conf);
    this.newApi = newApi;
    this.naming = naming;
    this.indexer = indexer;
  }

  List<Leaf> leaves() {
    return leaves;
  }

  List<FileEntry> files() {
    return files;
  }

  /** Indexes of files whose leaves are original splits. */
  Set<Integer> wholeFiles() {
    return wholeFiles;
  }

  /**
   * How many files are left whole, by why, for people. Those that no job of this naming may cut are
   * not among them.
   */
  Map<String, Integer> whyWhole() {
    return whyWhole;
  }

  /**
   * How many bytes before a chunk's ends its split lies: as {@link RecordFormat#splitLag()}.
   *
   * @return that of lines where nothing is cut
   */
  int splitLag() {
    return choice.format().map(RecordFormat::splitLag).orElse(1);
  }

  /**
   * Reads what is not indexed yet and names every leaf, in the order of the original splits.
   *
   * @param splits the original input format's
   */
  void scan(List<?> splits) throws FallbackException, InterruptedException {
    Map<Path, FileStatus> statuses;
    try {
      statuses = statuses(splits);
    } catch (IOException e) {
      throw new FallbackException(FallbackReason.INPUT_UNREADABLE, e.toString(), e);
    }
    Set<Path> cuttable = cuttable(statuses.keySet());
    Map<Path, FileChunks> chunks = index(statuses, cuttable);
    cuttable.removeIf(path -> !isCut(chunks.get(path)));
    whyWhole.forEach((why, files) -> LOG.info("Freshet: {} files are left whole: {}", files, why));
    SplitHosts hosts = new SplitHosts(splits);
    for (Object split : splits) {
      List<SplitKinds.Range> ranges = SplitKinds.ranges(split);
      SplitKinds.Range first = ranges.get(0);
      if (ranges.size() == 1 && cuttable.contains(first.path())) {
        // A path that is listed twice is read twice: it has two splits that begin at 0.
        if (first.start() == 0) {
          addChunks(chunks.get(first.path()), first.path(), hosts);
        }
      } else {
        addSplit((Writable) split, ranges, chunks, SplitHosts.of(split));
      }
    }
  }

  /** The files that the format of the job may cut. */
  private Set<Path> cuttable(Set<Path> paths) {
    Set<Path> cuttable = new LinkedHashSet<>();
    if (naming == LeafNaming.SPLIT) {
      return cuttable;
    }
    if (choice.format().isEmpty()) {
      paths.forEach(path -> leftWhole(choice.whyWhole()));
      return cuttable;
    }
    CompressionCodecFactory codecs = new CompressionCodecFactory(conf);
    for (Path path : paths) {
      CompressionCodec codec = choice.uncompressedOnly() ? codecs.getCodec(path) : null;
      if (codec == null) {
        cuttable.add(path);
      } else {
        leftWhole("what " + codec.getClass().getSimpleName() + " compressed is not cut");
      }
    }
    return cuttable;
  }

  private void leftWhole(String why) {
    whyWhole.merge(why, 1, Integer::sum);
  }

  /**
   * Whether a file that might have been cut was: one with a header may not be what it should be.
   */
  private boolean isCut(FileChunks file) {
    RecordFormat records = choice.format().orElseThrow();
    boolean cut = !records.hasHeader() || file.chunks().size() > 1;
    if (!cut) {
      leftWhole("no record, or no " + records.name() + " that can be cut");
    }
    return cut;
  }

  /** The chunks of every file, read now where the index does not have them. */
  private Map<Path, FileChunks> index(Map<Path, FileStatus> statuses, Set<Path> cutPaths)
      throws FallbackException {
    List<FileStatus> cut = new ArrayList<>();
    List<FileStatus> whole = new ArrayList<>();
    statuses.forEach((path, status) -> (cutPaths.contains(path) ? cut : whole).add(status));
    Map<Path, FileChunks> indexed = new HashMap<>();
    try {
      if (!cut.isEmpty()) {
        indexed.putAll(cut(cut));
      }
      indexed.putAll(indexer.index(whole, ChunkMode.WHOLE, this::progress));
    } catch (SourceChangedException e) {
      throw new FallbackException(FallbackReason.INPUT_UNSTABLE, e.getMessage(), e);
    } catch (IOException e) {
      throw new FallbackException(FallbackReason.INPUT_UNREADABLE, e.toString(), e);
    }
    Map<Path, FileChunks> chunks = new HashMap<>();
    for (Map.Entry<Path, FileStatus> entry : statuses.entrySet()) {
      FileChunks file = indexed.get(entry.getValue().getPath());
      // The original splits are of the length that was listed; a reader would not see the rest.
      if (file.length() != entry.getValue().getLen()) {
        throw new FallbackException(
            FallbackReason.INPUT_UNSTABLE,
            entry.getKey()
                + " had "
                + entry.getValue().getLen()
                + " bytes when it was listed and "
                + file.length()
                + " when it was read");
      }
      chunks.put(entry.getKey(), file);
    }
    return chunks;
  }

  private Map<Path, FileChunks> cut(List<FileStatus> files) throws IOException {
    RecordFormat records = choice.format().orElseThrow();
    return RecordFormats.isLines(records)
        ? indexer.index(files, ChunkMode.LINES, this::progress)
        : indexer.index(files, records, this::progress);
  }

  private void progress(ChunkIndexer.Stats stats) {
    long now = System.nanoTime();
    if (now - toldNanos > PROGRESS_NANOS) {
      toldNanos = now;
      LOG.info(
          "Freshet: read {} bytes of {} files to find their chunks",
          stats.bytesRead(),
          stats.filesRead());
    }
  }

  private static Map<Path, FileStatus> statuses(JobConf conf, Set<Path> paths) throws IOException {
    Map<Path, List<Path>> byParent = new LinkedHashMap<>();
    for (Path path : paths) {
      byParent.computeIfAbsent(path.getParent(), p -> new ArrayList<>()).add(path);
    }
    Map<Path, FileStatus> statuses = new LinkedHashMap<>();
    for (Map.Entry<Path, List<Path>> entry : byParent.entrySet()) {
      FileSystem fs = entry.getKey().getFileSystem(conf);
      Map<Path, FileStatus> listed = new HashMap<>();
      if (entry.getValue().size() >= LISTING_FROM) {
        for (FileStatus status : fs.listStatus(entry.getKey())) {
          listed.put(status.getPath(), status);
        }
      }
      for (Path path : entry.getValue()) {
        FileStatus status = listed.get(path);
        statuses.put(path, status == null || status.isSymlink() ? fs.getFileStatus(path) : status);
      }
    }
    return statuses;
  }

  private Map<Path, FileStatus> statuses(List<?> splits) throws FallbackException, IOException {
    Set<Path> paths = new LinkedHashSet<>();
    for (Object split : splits) {
      if (!SplitKinds.supported(split)) {
        throw new FallbackException(
            FallbackReason.SPLITS_NOT_FILES, split.getClass().getName() + " of " + format);
      }
      for (SplitKinds.Range range : SplitKinds.ranges(split)) {
        paths.add(range.path());
      }
    }
    return statuses(conf, paths);
  }

  private int fileIndex(FileChunks file) {
    return fileIndex.computeIfAbsent(
        file.file(),
        path -> {
          files.add(new FileEntry(path.toString(), file.version().toString(), file.length()));
          return files.size() - 1;
        });
  }

  private void addChunks(FileChunks file, Path listed, SplitHosts hosts) {
    RecordFormat records = choice.format().orElseThrow();
    if (file.chunks().isEmpty()) {
      // Stock runs the mapper over an empty file too.
      addChunk(name("empty", file, 0, 0, List.of()), file, 0, 0, hosts.at(listed, 0));
      return;
    }
    // Every chunk is read with the file's header, which has no records of its own.
    int first = records.hasHeader() ? 1 : 0;
    List<Digest> header = file.chunks().subList(0, first).stream().map(InputScan::digest).toList();
    long offset = 0;
    for (Chunk chunk : file.chunks().subList(first, file.chunks().size())) {
      long length = chunk.end() - offset;
      List<Digest> contents = new ArrayList<>(header);
      contents.add(digest(chunk));
      String kind = kind(records, offset == 0 && file.startsWithBom());
      Digest id = name(kind, file, offset, length, contents);
      addChunk(id, file, offset, length, hosts.at(listed, offset));
      offset = chunk.end();
    }
  }

  private static Digest digest(Chunk chunk) {
    return Digest.of(chunk.digest());
  }

  /** How the bytes of a chunk are read. */
  private static String kind(RecordFormat records, boolean behindBom) {
    // A line reader drops a byte order mark at the start of a file only.
    return RecordFormats.isLines(records)
        ? behindBom ? "bom" : "lines"
        : "records " + records.name() + (behindBom ? " bom" : "");
  }

  private void addChunk(Digest id, FileChunks file, long offset, long length, String[] hosts) {
    int index = fileIndex(file);
    RecordFormat.Range range = RecordFormat.split(offset, length, file.length(), splitLag());
    Writable split = split(file.file(), range.start(), range.length());
    leaves.add(new Leaf(id, index, offset, length, split, new int[] {index}, hosts));
  }

  private Writable split(Path path, long start, long length) {
    return newApi
        ? new org.apache.hadoop.mapreduce.lib.input.FileSplit(path, start, length, null)
        : new org.apache.hadoop.mapred.FileSplit(path, start, length, (String[]) null);
  }

  private Digest name(
      String kind, FileChunks file, long offset, long length, List<Digest> contents) {
    MessageDigest sha = Digest.newSha256();
    update(sha, "freshet leaf 1 " + kind);
    contents.forEach(content -> content.update(sha));
    if (naming == LeafNaming.PLACE) {
      update(sha, file.file().toString());
      update(sha, offset + "+" + length);
    }
    return Digest.finish(sha);
  }

  private void addSplit(
      Writable split, List<SplitKinds.Range> ranges, Map<Path, FileChunks> chunks, String[] hosts) {
    boolean showPaths = naming != LeafNaming.CONTENT || !PATH_BLIND.contains(format);
    MessageDigest sha = Digest.newSha256();
    update(sha, "freshet leaf 1 split");
    Set<Integer> sources = new LinkedHashSet<>();
    long length = 0;
    for (SplitKinds.Range range : ranges) {
      FileChunks file = chunks.get(range.path());
      int index = fileIndex(file);
      sources.add(index);
      wholeFiles.add(index);
      length += range.length();
      for (Chunk chunk : file.chunks()) {
        sha.update(chunk.digest());
      }
      update(sha, file.length() + ":" + range.start() + "+" + range.length());
      if (showPaths) {
        update(sha, range.path().toString());
      } else {
        // A reader picks its codec by the file's suffix.
        update(sha, suffix(range.path()));
      }
    }
    leaves.add(
        new Leaf(
            Digest.finish(sha),
            sources.iterator().next(),
            ranges.get(0).start(),
            length,
            split,
            sources.stream().mapToInt(Integer::intValue).toArray(),
            hosts));
  }

  private static String suffix(Path path) {
    int dot = path.getName().lastIndexOf('.');
    return dot < 0 ? "" : path.getName().substring(dot);
  }

  private static void update(MessageDigest sha, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sha.update((byte) (bytes.length >>> 8));
    sha.update((byte) bytes.length);
    sha.update(bytes);
  }
}
