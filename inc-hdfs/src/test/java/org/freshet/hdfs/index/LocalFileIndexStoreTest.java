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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFileIndexStoreTest {
  private static final Chunker CHUNKER = new Chunker(ChunkerConfig.withAverage(256));
  private static final String FINGERPRINT = CHUNKER.config().fingerprint();

  /** For this clock, files written a moment ago are settled. */
  private static final InstantSource LATER =
      InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));

  @TempDir private java.nio.file.Path temporary;

  private final Configuration conf = new Configuration();
  private java.nio.file.Path place;
  private java.nio.file.Path file;
  private FileSystem fs;

  @BeforeEach
  void writeFile() throws IOException {
    place = temporary.resolve("indexes");
    conf.set(HdfsKeys.INDEX_DIR.name(), place.toString());
    file = Files.writeString(temporary.resolve("file"), "some text\n".repeat(500));
    fs = FileSystem.getLocal(conf);
  }

  private FileIndexStore store() {
    return FileIndexStore.of(conf, LATER);
  }

  private FileStatus status() throws IOException {
    return fs.getFileStatus(new Path(file.toUri()));
  }

  private List<Chunk> chunks() throws IOException {
    return CHUNKER.chunk(Files.readAllBytes(file));
  }

  private boolean put(FileIndexStore store) throws IOException {
    FileStatus status = status();
    return store.put(fs, status, FileVersion.of(fs, status), FINGERPRINT, chunks(), false);
  }

  private Optional<NoIndex> reason() throws IOException {
    FileIndexStore.Lookup lookup = store().lookUp(fs, status(), Optional.of(FINGERPRINT));
    assertThat(lookup.index().isEmpty()).isEqualTo(lookup.reason().isPresent());
    return lookup.reason();
  }

  private java.nio.file.Path onlyIndex() throws IOException {
    try (Stream<java.nio.file.Path> files = Files.walk(place)) {
      List<java.nio.file.Path> indexes = files.filter(Files::isRegularFile).toList();
      assertThat(indexes).hasSize(1);
      return indexes.get(0);
    }
  }

  @Test
  void whatWasPutIsFound() throws IOException {
    assertThat(reason()).contains(NoIndex.ABSENT);
    assertThat(put(store())).isTrue();

    try (FileIndex index = store().find(fs, status(), FINGERPRINT).orElseThrow()) {
      assertThat(index.all()).isEqualTo(chunks());
      assertThat(index.length()).isEqualTo(Files.size(file));
      assertThat(index.version()).isEqualTo(FileVersion.of(fs, status()));
    }
    assertThat(store().find(fs, status(), "another chunker")).isEmpty();
    assertThat(Files.getPosixFilePermissions(onlyIndex()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void anEditOfEqualLengthIsSeenEvenIfItsTimeIsSetBack() throws IOException {
    put(store());
    FileTime modified = Files.getLastModifiedTime(file);
    Files.writeString(file, "same text\n".repeat(500));
    Files.setLastModifiedTime(file, modified);

    assertThat(reason()).contains(NoIndex.OTHER_VERSION);
    assertThat(put(store())).isTrue();
    try (FileIndex index = store().find(fs, status(), FINGERPRINT).orElseThrow()) {
      assertThat(index.all()).isEqualTo(chunks());
    }
    onlyIndex();
  }

  @Test
  void aFileThatTakesThePlaceOfAnotherHasNotItsIndex() throws IOException {
    put(store());
    java.nio.file.Path other = temporary.resolve("other");
    Files.writeString(other, "same text\n".repeat(500));
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
    Files.delete(file);
    Files.move(other, file);

    assertThat(reason()).contains(NoIndex.OTHER_VERSION);
  }

  @Test
  void aFileThatChangedAMomentAgoGetsNoIndex() throws IOException {
    assertThat(put(FileIndexStore.of(conf))).isFalse();
    assertThat(reason()).contains(NoIndex.ABSENT);
  }

  @Test
  void chunksOfAnOlderVersionAreNotKept() throws IOException {
    FileStatus status = status();
    FileVersion version = FileVersion.of(fs, status);
    List<Chunk> chunks = chunks();
    Files.writeString(file, "same text\n".repeat(500));

    assertThat(store().put(fs, status, version, FINGERPRINT, chunks, false)).isFalse();
  }

  @Test
  void chunksThatDoNotCoverTheFileAreNotKept() throws IOException {
    FileStatus status = status();
    FileVersion version = FileVersion.of(fs, status);
    List<Chunk> some = chunks().subList(0, 2);
    assertThat(store().put(fs, status, version, FINGERPRINT, some, false)).isFalse();
    List<Chunk> rest = chunks().subList(1, chunks().size());
    assertThat(store().put(fs, status, version, FINGERPRINT, rest, false)).isFalse();
  }

  @Test
  void anIndexThatOthersMayWriteIsNotBelieved() throws IOException {
    put(store());
    Files.setPosixFilePermissions(onlyIndex(), PosixFilePermissions.fromString("rw-rw----"));
    assertThat(reason()).contains(NoIndex.WRITABLE_BY_OTHERS);
    Files.setPosixFilePermissions(onlyIndex(), PosixFilePermissions.fromString("rw-----w-"));
    assertThat(reason()).contains(NoIndex.WRITABLE_BY_OTHERS);
  }

  @Test
  void aDamagedIndexIsAsGoodAsNoneAndIsReplaced() throws IOException {
    put(store());
    java.nio.file.Path index = onlyIndex();
    Files.write(index, new byte[] {1, 2, 3});
    long damaged = IndexMetrics.INSTANCE.count(NoIndex.DAMAGED);

    assertThat(reason()).contains(NoIndex.DAMAGED);
    assertThat(IndexMetrics.INSTANCE.count(NoIndex.DAMAGED)).isEqualTo(damaged + 1);
    assertThat(put(store())).isTrue();
    assertThat(reason()).isEmpty();
  }

  @Test
  void anIndexUnderAnotherNameIsNotOfThatFile() throws IOException {
    put(store());
    java.nio.file.Path index = onlyIndex();
    java.nio.file.Path first = file;
    file = Files.copy(first, temporary.resolve("copy"));
    put(store());
    FileIndexStore.Lookup lookup = store().lookUp(fs, status(), Optional.empty());
    lookup.index().orElseThrow().close();
    Files.copy(
        index,
        java.nio.file.Path.of(lookup.place().toUri().getPath()),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);

    assertThat(reason()).contains(NoIndex.OTHER_VERSION);
  }

  @Test
  void aPlaceThatCannotBeWrittenFailsNobody() throws IOException {
    Files.writeString(place, "a file where a directory should be");
    assertThat(put(store())).isFalse();
    assertThat(reason()).isPresent();
  }

  @Test
  void anEmptyFileNeedsNoIndex() throws IOException {
    Files.writeString(file, "");
    assertThat(put(store())).isFalse();
  }

  @Test
  void onlyStaleIndexesAreCollected() throws IOException {
    put(store());
    java.nio.file.Path kept = onlyIndex();
    file = Files.copy(file, temporary.resolve("deleted"));
    put(store());
    Files.delete(file);
    file = Files.writeString(temporary.resolve("changed"), "abc");
    put(store());
    Files.writeString(file, "abd");
    Files.writeString(
        kept.resolveSibling(kept.getParent().getFileName() + "a".repeat(61)), "damaged");

    IndexCollection collected = store().collect(fs, 2, now -> {});

    assertThat(collected.kept()).isEqualTo(1);
    assertThat(collected.deleted()).isEqualTo(3);
    assertThat(collected.undecided()).isZero();
    assertThat(onlyIndex()).isEqualTo(kept);
    assertThat(store().collect(fs, 1, now -> {})).isEqualTo(new IndexCollection(1, 0, 0, 0, 0));
  }

  @Test
  void whatInterruptedWritersLeftIsCollectedAfterADay() throws IOException {
    put(store());
    java.nio.file.Path index = onlyIndex();
    java.nio.file.Path left =
        index.resolveSibling(index.getFileName() + "." + UUID.randomUUID() + ".tmp");
    Files.writeString(left, "half an ind");
    store().collect(fs, 1, now -> {});
    assertThat(left).exists();
    InstantSource nextWeek = InstantSource.offset(InstantSource.system(), Duration.ofDays(7));
    FileIndexStore.of(conf, nextWeek).collect(fs, 1, now -> {});
    assertThat(left).doesNotExist();
    onlyIndex();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data.csv",
        "part-r-00000",
        "year=2024/part.parquet",
        "abc/data.csv",
        "abc/12345678",
        "abc/x.tmp",
        "abd/abcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabcd",
        "v1/lineages/abc/manifest"
      })
  void whatIsNoIndexStaysWhereverTheConfigurationPoints(String name) throws IOException {
    java.nio.file.Path data = place.resolve(name);
    Files.createDirectories(data.getParent());
    Files.writeString(data, "someone's data");
    InstantSource nextWeek = InstantSource.offset(InstantSource.system(), Duration.ofDays(7));

    IndexCollection collected = FileIndexStore.of(conf, nextWeek).collect(fs, 2, now -> {});

    assertThat(data).hasContent("someone's data");
    assertThat(collected).isEqualTo(new IndexCollection(0, 0, 0, 0, 1));
  }

  @Test
  void anIndexBehindALinkIsNotBelieved() throws IOException {
    put(store());
    java.nio.file.Path index = onlyIndex();
    java.nio.file.Path elsewhere = Files.move(index, temporary.resolve("elsewhere"));
    Files.createSymbolicLink(index, elsewhere);

    assertThat(reason()).contains(NoIndex.UNTRUSTED_OWNER);
  }

  @Test
  void anIndexThatIsSwappedBetweenTheLookAtItsOwnerAndItsOpeningIsNotBelieved() throws IOException {
    put(store());
    java.nio.file.Path index = onlyIndex();
    java.nio.file.Path other = Files.copy(index, temporary.resolve("other"));
    Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-------"));
    AtomicBoolean swaps = new AtomicBoolean();
    RawLocalFileSystem raw =
        new RawLocalFileSystem() {
          @Override
          public FSDataInputStream open(Path path, int bufferSize) throws IOException {
            if (swaps.get() && path.toUri().getPath().equals(index.toString())) {
              Files.move(other, index, StandardCopyOption.REPLACE_EXISTING);
            }
            return super.open(path, bufferSize);
          }
        };
    fs = new LocalFileSystem(raw);
    fs.initialize(URI.create("file:///"), conf);
    assertThat(reason()).isEmpty();
    swaps.set(true);

    assertThat(reason()).contains(NoIndex.ABSENT);
  }

  @Test
  void nothingIsCollectedWhereThereIsNothing() throws IOException {
    assertThat(store().collect(fs, 1, now -> {})).isEqualTo(IndexCollection.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"relative/path", "hdfs://host/path", "file:///path"})
  void thePlaceIsAnAbsolutePath(String value) {
    conf.set(HdfsKeys.INDEX_DIR.name(), value);
    assertThatThrownBy(this::store)
        .isInstanceOf(ConfigKey.InvalidValueException.class)
        .hasMessageContaining(HdfsKeys.INDEX_DIR.name())
        .hasMessageContaining(value);
  }
}
