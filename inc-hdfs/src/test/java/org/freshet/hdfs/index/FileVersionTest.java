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

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileVersionTest {
  @TempDir private java.nio.file.Path directory;

  private FileVersion local(java.nio.file.Path file) throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration());
    return FileVersion.of(fs, fs.getFileStatus(new Path(file.toUri())));
  }

  @Test
  void localFileKeepsItsVersionUntilItIsWritten() throws IOException {
    java.nio.file.Path file = Files.writeString(directory.resolve("a"), "one");

    assertThat(local(file)).isEqualTo(local(file)).hasSameHashCodeAs(local(file));
  }

  @Test
  void localEditOfEqualLengthShowsEvenIfItsTimeIsSetBack() throws IOException {
    java.nio.file.Path file = Files.writeString(directory.resolve("a"), "one");
    long modified = 1_600_000_000_000L;
    setModified(file, modified);
    FileVersion before = local(file);

    Files.writeString(file, "two");
    setModified(file, modified);

    assertThat(local(file)).isNotEqualTo(before);
  }

  private static void setModified(java.nio.file.Path file, long millis) {
    assertThat(file.toFile().setLastModified(millis)).isTrue();
  }

  @Test
  void localFileWithAnOldTimeButARecentChangeIsNotSettled() throws IOException {
    long now = System.currentTimeMillis();
    java.nio.file.Path file = Files.writeString(directory.resolve("a"), "one");
    setModified(file, now - 1_000_000);

    assertThat(local(file).settled(now)).isFalse();
    assertThat(local(file).settled(now + 10_000)).isTrue();
  }

  @Test
  void settlesThreeSecondsAfterTheLastChange() throws IOException {
    FileVersion version =
        FileVersion.of(new FakeFileSystem("other"), new FileStatus(1, false, 1, 1, 50_000, path()));

    assertThat(version.settled(50_000)).isFalse();
    assertThat(version.settled(52_999)).isFalse();
    assertThat(version.settled(53_000)).isTrue();
    // A clock that runs behind the file system's is no reason to trust a file.
    assertThat(version.settled(40_000)).isFalse();
  }

  @Test
  void hdfsFileIsNamedByInodeLengthAndTimeNotByPath() throws IOException {
    FileSystem hdfs = new FakeFileSystem("hdfs");

    FileVersion version = FileVersion.of(hdfs, hdfsStatus("part-0", 17, 100, 5));

    assertThat(FileVersion.of(hdfs, hdfsStatus("renamed", 17, 100, 5))).isEqualTo(version);
    assertThat(FileVersion.of(hdfs, hdfsStatus("part-0", 18, 100, 5))).isNotEqualTo(version);
    assertThat(FileVersion.of(hdfs, hdfsStatus("part-0", 17, 101, 5))).isNotEqualTo(version);
    assertThat(FileVersion.of(hdfs, hdfsStatus("part-0", 17, 100, 6))).isNotEqualTo(version);
  }

  @Test
  void hdfsIsAskedForTheInodeThatAListingLost() throws IOException {
    FakeFileSystem hdfs = new FakeFileSystem("hdfs");
    hdfs.status = hdfsStatus("part-0", 17, 100, 5);
    FileStatus stripped = new FileStatus(100, false, 1, 1, 5, path());

    assertThat(FileVersion.of(hdfs, stripped)).isEqualTo(FileVersion.of(hdfs, hdfs.status));
    assertThat(hdfs.asked).isEqualTo(1);
  }

  @Test
  void objectIsNamedByItsEntityTag() throws IOException {
    FakeFileSystem store = new FakeFileSystem("store");
    store.etags = true;
    FileVersion one = FileVersion.of(store, new TaggedStatus("one"));
    store.status = new TaggedStatus("one");

    assertThat(FileVersion.of(store, new TaggedStatus("two"))).isNotEqualTo(one);
    assertThat(FileVersion.of(store, new FileStatus(1, false, 1, 1, 5, path()))).isEqualTo(one);
    assertThat(store.asked).isEqualTo(1);
  }

  @Test
  void otherFilesAreNamedByPathLengthAndTime() throws IOException {
    FakeFileSystem other = new FakeFileSystem("other");
    FileVersion version = FileVersion.of(other, new FileStatus(1, false, 1, 1, 5, path()));

    assertThat(FileVersion.of(other, new FileStatus(1, false, 1, 1, 5, path()))).isEqualTo(version);
    assertThat(FileVersion.of(other, new FileStatus(1, false, 1, 1, 6, path())))
        .isNotEqualTo(version);
    assertThat(FileVersion.of(other, new FileStatus(2, false, 1, 1, 5, path())))
        .isNotEqualTo(version);
    assertThat(FileVersion.of(other, new FileStatus(1, false, 1, 1, 5, new Path("/d/g"))))
        .isNotEqualTo(version);
    assertThat(FileVersion.of(other, new TaggedStatus(""))).isEqualTo(version);
    assertThat(other.asked).isZero();
  }

  private static Path path() {
    return new Path("/d/f");
  }

  private static FileStatus hdfsStatus(String name, long inode, long length, long modified) {
    HdfsFileStatus status =
        new HdfsFileStatus.Builder()
            .fileId(inode)
            .length(length)
            .mtime(modified)
            .path(name.getBytes(StandardCharsets.UTF_8))
            .build();
    return (FileStatus) status;
  }

  private static final class TaggedStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    TaggedStatus(String etag) {
      super(1, false, 1, 1, 5, path());
      this.etag = etag;
    }

    @Override
    public String getEtag() {
      return etag;
    }
  }

  /** A file system with one file. */
  private static final class FakeFileSystem extends RawLocalFileSystem {
    private final URI uri;
    private FileStatus status;
    private boolean etags;
    private int asked;

    FakeFileSystem(String scheme) {
      uri = URI.create(scheme + "://host/");
    }

    @Override
    public URI getUri() {
      // The superclass's constructor asks before there is one.
      return uri == null ? URI.create("file:///") : uri;
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
      return capability.equals(CommonPathCapabilities.ETAGS_AVAILABLE) && etags;
    }

    @Override
    public FileStatus getFileStatus(Path path) {
      asked++;
      return status;
    }

    @Override
    public File pathToFile(Path path) {
      throw new AssertionError("No local file is to be looked at, but " + path + " is");
    }
  }
}
