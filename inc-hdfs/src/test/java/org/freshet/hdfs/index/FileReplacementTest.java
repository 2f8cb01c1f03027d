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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReplacementTest {
  /** Does not rename over a file, nor at all while it refuses. */
  private static final class OtherFileSystem extends RawLocalFileSystem {
    private boolean throwing;

    @Override
    public URI getUri() {
      return URI.create("other:///");
    }

    @Override
    protected void checkPath(Path path) {}

    @Override
    public boolean rename(Path from, Path to) throws IOException {
      if (throwing) {
        throw new IOException("no answer");
      }
      return false;
    }
  }

  @TempDir private java.nio.file.Path temporary;

  @Test
  void whoseTargetWasDeletedForARenameThatFailsIsTold() throws IOException {
    OtherFileSystem fs = new OtherFileSystem();
    fs.initialize(URI.create("file:///"), new Configuration());
    for (boolean throwing : new boolean[] {false, true}) {
      fs.throwing = throwing;
      Path from = new Path(Files.writeString(temporary.resolve("from"), "new").toString());
      Path to = new Path(Files.writeString(temporary.resolve("to"), "old").toString());

      assertThatThrownBy(() -> FileReplacement.rename(fs, from, to))
          .hasMessageContaining("deleted to make room")
          .hasMessageContaining(from.toString());
      assertThatThrownBy(() -> FileReplacement.rename(fs, from, to))
          .message()
          .doesNotContain("deleted");
      assertThat(temporary.resolve("from")).hasContent("new");
    }
  }
}
