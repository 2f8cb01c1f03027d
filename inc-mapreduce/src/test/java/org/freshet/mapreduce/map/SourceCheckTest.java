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
package org.freshet.mapreduce.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceCheckTest {
  @TempDir private java.nio.file.Path temporary;
  private final Configuration conf = new Configuration();
  private java.nio.file.Path first;
  private java.nio.file.Path second;
  private SourceCheck check;

  @BeforeEach
  void planTwoFiles() throws IOException {
    first = Files.writeString(temporary.resolve("first file"), "one");
    second = Files.writeString(temporary.resolve("second"), "two");
    check = new SourceCheck(conf, List.of(source(first), source(second)));
  }

  private Batch.Source source(java.nio.file.Path file) throws IOException {
    Path path = new Path(file.toUri());
    FileSystem fs = path.getFileSystem(conf);
    return new Batch.Source(path.toString(), FileVersion.of(fs, fs.getFileStatus(path)).toString());
  }

  private static Batch.Chunk chunkOf(int... files) {
    return new Batch.Chunk(Digest.sha256(new byte[0]), 3, null, files);
  }

  @Test
  void filesThatStayAsPlannedAreFine() {
    check.before(chunkOf(0, 1));
    check.after(chunkOf(0, 1));

    assertThat(check.changed()).isFalse();
  }

  @Test
  void aFileRewrittenWithOtherBytesOfTheSameLengthHasChanged() throws IOException {
    check.before(chunkOf(0));
    Files.writeString(first, "ONE");
    check.after(chunkOf(0));

    assertThat(check.changed()).isTrue();
  }

  @Test
  void aFileThatIsGoneHasChanged() throws IOException {
    Files.delete(second);

    check.before(chunkOf(1));

    assertThat(check.changed()).isTrue();
  }

  @Test
  void filesOfOtherChunksDoNotMatter() throws IOException {
    Files.writeString(second, "changed");

    check.before(chunkOf(0));
    check.after(chunkOf(0));

    assertThat(check.changed()).isFalse();
  }

  @Test
  void whatHasChangedOnceStaysChanged() throws IOException {
    Files.writeString(second, "changed");
    check.before(chunkOf(1));

    check.before(chunkOf(0));
    check.after(chunkOf(0));

    assertThat(check.changed()).isTrue();
  }
}
