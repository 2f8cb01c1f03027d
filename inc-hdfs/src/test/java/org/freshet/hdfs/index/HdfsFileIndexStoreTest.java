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
package org.freshet.hdfs.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.viewfs.ConfigUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.test.GenericTestUtils;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

class HdfsFileIndexStoreTest {
  private static final Chunker CHUNKER = new Chunker(ChunkerConfig.withAverage(256));
  private static final String FINGERPRINT = CHUNKER.config().fingerprint();
  private static final int BLOCK = 1024;
  private static final String SHARED = "/freshet/indexes";

  private static MiniDFSCluster cluster;
  private static DistributedFileSystem fs;
  private static Configuration conf;

  private Path file;

  @BeforeAll
  static void start(@TempDir java.nio.file.Path directory) throws IOException {
    Configuration daemons = new Configuration();
    daemons.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    daemons.setInt("dfs.blocksize", BLOCK);
    daemons.setInt("dfs.bytes-per-checksum", 512);
    daemons.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5);
    cluster = new MiniDFSCluster.Builder(daemons, directory.toFile()).numDataNodes(1).build();
    cluster.waitActive();
    fs = cluster.getFileSystem();
    conf = fs.getConf();
    fs.mkdirs(new Path("/freshet"));
  }

  @AfterAll
  static void stop() {
    cluster.shutdown(true);
  }

  @BeforeEach
  void writeFile(TestInfo test) throws IOException {
    file = new Path("/data/" + test.getTestMethod().orElseThrow().getName() + "/file");
    write(file, "some text\n".repeat(350));
  }

  private static void write(Path file, String text) throws IOException {
    try (OutputStream out = fs.create(file, true)) {
      out.write(text.getBytes(UTF_8));
    }
  }

  private static FileIndexStore store() {
    return FileIndexStore.of(conf);
  }

  private static FileIndexStore shared() {
    Configuration shared = new Configuration(conf);
    shared.set(HdfsKeys.INDEX_DIR.name(), SHARED);
    return FileIndexStore.of(shared);
  }

  private static List<Chunk> chunks(Path file) throws IOException {
    try (InputStream in = fs.open(file)) {
      return CHUNKER.chunk(in);
    }
  }

  private static boolean put(FileIndexStore store, FileSystem on, Path file) throws IOException {
    FileStatus status = on.getFileStatus(file);
    FileVersion version = FileVersion.of(on, status);
    return store.put(on, status, version, FINGERPRINT, chunks(file), false);
  }

  private static Optional<NoIndex> reason(FileIndexStore store, FileSystem on, Path file)
      throws IOException {
    FileIndexStore.Lookup lookup =
        store.lookUp(on, on.getFileStatus(file), Optional.of(FINGERPRINT));
    if (lookup.index().isPresent()) {
      try (FileIndex index = lookup.index().get()) {
        assertThat(index.all()).isEqualTo(chunks(file));
      }
    }
    return lookup.reason();
  }

  private static Optional<NoIndex> reason(Path file) throws IOException {
    return reason(store(), fs, file);
  }

  @Test
  void aFileWrittenJustNowIsIndexedInTheUsersHome() throws IOException {
    assertThat(reason(file)).contains(NoIndex.ABSENT);
    assertThat(put(store(), fs, file)).isTrue();
    assertThat(reason(file)).isEmpty();

    FileStatus status = fs.getFileStatus(file);
    long inode = HdfsFiles.inode(status);
    Path place = store().lookUp(fs, status, Optional.empty()).place();
    assertThat(place)
        .isEqualTo(
            new Path(
                fs.getHomeDirectory(),
                String.format(".freshet/chunks/%03x/%d", inode % 4096, inode)));
    assertThat(fs.getFileStatus(place).getPermission()).isEqualTo(new FsPermission((short) 0600));
  }

  @Test
  void theIndexStaysWithARenamedFile() throws IOException {
    put(store(), fs, file);
    Path renamed = new Path("/elsewhere/file");
    fs.mkdirs(renamed.getParent());
    assertThat(fs.rename(file, renamed)).isTrue();

    assertThat(reason(renamed)).isEmpty();
    assertThat(store().collect(fs, 1, now -> {}).undecided()).isZero();
    assertThat(reason(renamed)).isEmpty();
    write(file, "some text\n".repeat(350));
    assertThat(reason(file)).contains(NoIndex.ABSENT);
  }

  @Test
  void clocksOfClientsDoNotMatter() throws IOException {
    for (Duration skew : List.of(Duration.ofDays(-400), Duration.ofDays(400))) {
      FileIndexStore skewed =
          FileIndexStore.of(conf, InstantSource.offset(InstantSource.system(), skew));
      write(file, "some text, " + skew + "\n".repeat(400));
      assertThat(put(skewed, fs, file)).isTrue();
      assertThat(reason(skewed, fs, file)).isEmpty();
      assertThat(reason(file)).isEmpty();
      fs.setTimes(file, fs.getFileStatus(file).getModificationTime() + skew.toMillis(), -1);
      assertThat(reason(file)).contains(NoIndex.OTHER_VERSION);
    }
  }

  @Test
  void anAppendedFileHasAnotherVersion() throws IOException {
    put(store(), fs, file);
    append(file, "more");
    assertThat(reason(file)).contains(NoIndex.OTHER_VERSION);
    assertThat(put(store(), fs, file)).isTrue();
    assertThat(reason(file)).isEmpty();
  }

  @Test
  void anOverwrittenFileIsAnotherFile() throws IOException {
    put(store(), fs, file);
    FileStatus before = fs.getFileStatus(file);
    write(file, "same text\n".repeat(350));
    fs.setTimes(file, before.getModificationTime(), -1);
    assertThat(reason(file)).contains(NoIndex.ABSENT);
    // A status from before finds nothing of the file that is there now.
    assertThat(store().find(fs, before, FINGERPRINT)).isEmpty();
  }

  @Test
  void contentOfTheSameLengthAndTimeIsTold() throws Exception {
    // In the middle of a block, at the end of one, and in the middle of the first.
    for (int length : new int[] {3 * BLOCK + 100, 2 * BLOCK, 10}) {
      put(store(), fs, file);
      assertThat(reason(file)).isEmpty();
      FileStatus before = fs.getFileStatus(file);
      if (!fs.truncate(file, length)) {
        GenericTestUtils.waitFor(() -> closed(file), 50, 30_000);
      }
      append(file, "x".repeat((int) before.getLen() - length));
      fs.setTimes(file, before.getModificationTime(), -1);

      FileStatus after = fs.getFileStatus(file);
      assertThat(FileVersion.of(fs, after)).isEqualTo(FileVersion.of(fs, before));
      assertThat(reason(file)).as("cut at %d", length).contains(NoIndex.OTHER_VERSION);
      // Nor are chunks of the content before kept as those of the content now.
      FileVersion observed = FileVersion.observe(fs, file);
      append(file, "!");
      assertThat(store().put(fs, after, observed, FINGERPRINT, chunks(file), false)).isFalse();
    }
  }

  @Test
  void chunksOfAVersionThatLooksTheSameAreNotKept() throws Exception {
    FileStatus before = fs.getFileStatus(file);
    FileVersion observed = FileVersion.observe(fs, file);
    List<Chunk> chunks = chunks(file);
    assertThat(fs.truncate(file, BLOCK)).isTrue();
    append(file, "x".repeat((int) before.getLen() - BLOCK));
    fs.setTimes(file, before.getModificationTime(), -1);

    assertThat(FileVersion.of(fs, fs.getFileStatus(file))).isEqualTo(observed);
    assertThat(store().put(fs, before, observed, FINGERPRINT, chunks, false)).isFalse();
  }

  private static boolean closed(Path file) {
    try {
      return fs.isFileClosed(file);
    } catch (IOException e) {
      return false;
    }
  }

  private static void append(Path file, String text) throws IOException {
    try (OutputStream out = fs.append(file)) {
      out.write(text.getBytes(UTF_8));
    }
  }

  @Test
  void aFileThatIsBeingWrittenHasNoIndex() throws IOException {
    put(store(), fs, file);
    try (FSDataOutputStream out = fs.append(file)) {
      assertThat(reason(file)).isPresent();
      assertThat(put(store(), fs, file)).isFalse();
      out.write('x');
      out.hsync();
      assertThat(reason(file)).isPresent();
    }
  }

  @Test
  void aFileInASnapshotHasTheIndexOfTheSameContent() throws IOException {
    put(store(), fs, file);
    fs.allowSnapshot(file.getParent());
    fs.createSnapshot(file.getParent(), "s");
    Path kept = new Path(file.getParent(), ".snapshot/s/file");

    assertThat(reason(kept)).isEmpty();
    append(file, "more");
    assertThat(reason(kept)).isPresent();
    assertThat(put(store(), fs, kept)).isFalse();
    assertThat(put(store(), fs, file)).isTrue();
    assertThat(reason(file)).isEmpty();
    assertThat(reason(kept)).isPresent();
    fs.deleteSnapshot(file.getParent(), "s");
  }

  @Test
  void indexesOfDeletedAndChangedFilesAreCollected() throws IOException {
    Path deleted = new Path(file.getParent(), "deleted");
    Path changed = new Path(file.getParent(), "changed");
    for (Path path : List.of(deleted, changed)) {
      write(path, "some text\n".repeat(350));
      assertThat(put(store(), fs, path)).isTrue();
    }
    store().collect(fs, 2, now -> {});
    put(store(), fs, file);
    fs.delete(deleted, false);
    append(changed, "more");

    IndexCollection collected = store().collect(fs, 2, now -> {});

    assertThat(collected.deleted()).isEqualTo(2);
    assertThat(collected.kept()).isPositive();
    assertThat(reason(changed)).contains(NoIndex.ABSENT);
    assertThat(reason(file)).isEmpty();
  }

  @Test
  void aFileThatItsWriterIndexedIsNotRead(@TempDir java.nio.file.Path store) throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(256);
    Chunker lines = new Chunker(config.with(RecordAlignment.lines()));
    // However long this takes, it has been written a moment ago.
    fs.setTimes(file, System.currentTimeMillis() + 60_000, -1);
    FileStatus status = fs.getFileStatus(file);
    FileVersion version = FileVersion.observe(fs, file);
    List<Chunk> chunks;
    try (InputStream in = fs.open(file)) {
      chunks = lines.chunk(in);
    }
    String fingerprint = lines.config().fingerprint();
    assertThat(store().put(fs, status, version, fingerprint, chunks, false)).isTrue();

    ChunkIndexer indexer = new ChunkIndexer(conf, new Path(store.toUri()), config, 1);
    FileChunks found =
        indexer.index(List.of(status), ChunkMode.LINES, stats -> {}).get(file(status));
    assertThat(found.chunks()).isEqualTo(chunks);
    assertThat(found.version()).isEqualTo(FileVersion.of(fs, status));
    assertThat(indexer.stats().bytesRead()).isZero();
    // By its time alone the file might still change unseen: the directory's index has to wait.
    assertThat(store).isEmptyDirectory();
  }

  private static Path file(FileStatus status) {
    return fs.makeQualified(status.getPath());
  }

  @Test
  void twoWritersLeaveOneWholeIndex() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> puts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        puts.add(executor.submit(() -> put(store(), fs, file)));
      }
      for (Future<Boolean> put : puts) {
        assertThat(put.get(60, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      executor.shutdownNow();
    }
    Path place = store().lookUp(fs, fs.getFileStatus(file), Optional.empty()).place();
    assertThat(fs.listStatus(place.getParent())).hasSize(1);
    assertThat(reason(file)).isEmpty();
  }

  @Test
  void aSharedIndexIsAsReadableAsItsFileAndNoMore() throws Exception {
    FileIndexStore shared = shared();
    put(shared, fs, file);
    assertThat(mode(shared)).isEqualTo(0644);
    assertThat(reasonFor("reader")).isEmpty();
    Path place = shared.lookUp(fs, fs.getFileStatus(file), Optional.empty()).place();
    assertThat(fs.getFileStatus(place.getParent()).getPermission().toShort())
        .isEqualTo((short) 01777);

    fs.setPermission(file, new FsPermission((short) 0640));
    put(shared, fs, file);
    assertThat(mode(shared)).isEqualTo(0640);
    fs.setPermission(file, new FsPermission((short) 0600));
    put(shared, fs, file);
    assertThat(mode(shared)).isEqualTo(0600);
    fs.setPermission(file, new FsPermission((short) 0644));
    fs.setPermission(file.getParent(), new FsPermission((short) 0700));
    put(shared, fs, file);
    assertThat(mode(shared)).isEqualTo(0600);
  }

  private int mode(FileIndexStore shared) throws IOException {
    Path place = shared.lookUp(fs, fs.getFileStatus(file), Optional.empty()).place();
    return fs.getFileStatus(place).getPermission().toShort();
  }

  @Test
  void onlyTheOwnerTheReaderAndTheSuperuserAreBelieved() throws Exception {
    put(shared(), fs, file); // makes the shared directories
    fs.setOwner(file, "owner", null);
    Path place = shared().lookUp(fs, fs.getFileStatus(file), Optional.empty()).place();
    fs.delete(place, false);

    assertThat(putAs("mallory")).isTrue();
    assertThat(fs.getFileStatus(place).getOwner()).isEqualTo("mallory");
    assertThat(reasonFor("mallory")).isEmpty();
    assertThat(reasonFor("reader")).contains(NoIndex.UNTRUSTED_OWNER);
    fs.setOwner(place, "owner", null);
    assertThat(reasonFor("reader")).isEmpty();
    fs.setOwner(place, fs.getFileStatus(new Path("/")).getOwner(), null);
    assertThat(reasonFor("reader")).isEmpty();
    fs.setPermission(place, new FsPermission((short) 0664));
    assertThat(reasonFor("reader")).contains(NoIndex.WRITABLE_BY_OTHERS);
    fs.setPermission(place, new FsPermission((short) 0600));
    assertThat(reasonFor("reader")).contains(NoIndex.UNREADABLE);
    // HDFS lets a rename replace what others own, whatever the sticky bit says.
    assertThat(putAs("mallory")).isTrue();
    assertThat(reasonFor("reader")).contains(NoIndex.UNTRUSTED_OWNER);
  }

  @Test
  void aViewOfTheFileSystemFindsTheSameIndex() throws IOException {
    Configuration viewing = new Configuration(conf);
    ConfigUtil.addLink(viewing, "view", "/data", URI.create(fs.getUri() + "/data"));
    FileSystem view = FileSystem.get(URI.create("viewfs://view/"), viewing);
    Path viewed = view.makeQualified(file);
    Path place = new Path("viewfs://view" + file.toUri().getPath());
    assertThat(viewed).isEqualTo(place);

    FileStatus status = view.getFileStatus(viewed);
    FileVersion version = FileVersion.of(view, status);
    assertThat(store().put(view, status, version, FINGERPRINT, chunks(file), false)).isTrue();
    assertThat(reason(file)).isEmpty();
    store().find(view, status, FINGERPRINT).orElseThrow().close();
    append(file, "more");
    assertThat(store().find(view, view.getFileStatus(viewed), FINGERPRINT)).isEmpty();
  }

  private Optional<NoIndex> reasonFor(String user) throws Exception {
    return as(user, on -> reason(shared(), on, file));
  }

  private boolean putAs(String user) throws Exception {
    return as(user, on -> put(shared(), on, file));
  }

  private interface OnFileSystem<T> {
    T run(FileSystem fs) throws IOException;
  }

  private static <T> T as(String user, OnFileSystem<T> action) throws Exception {
    UserGroupInformation ugi = UserGroupInformation.createUserForTesting(user, new String[] {user});
    return ugi.doAs((PrivilegedExceptionAction<T>) () -> action.run(FileSystem.newInstance(conf)));
  }
}
