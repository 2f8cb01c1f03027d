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
package org.freshet.cli.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.freshet.shredder.ByteSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedSourceTest {
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};

  private static ByteSource inMemory() {
    return new ByteSource() {
      @Override
      public long length() {
        return CONTENT.length;
      }

      @Override
      public InputStream open(long offset) {
        return new ByteArrayInputStream(CONTENT, (int) offset, CONTENT.length - (int) offset);
      }
    };
  }

  @Test
  void isReadAsWhatItWatches(@TempDir Path directory) throws Exception {
    ByteSource file = ByteSource.of(Files.write(directory.resolve("file"), CONTENT));
    for (ByteSource source : new ByteSource[] {file, inMemory()}) {
      try (Progress progress = new Progress("source", CONTENT.length, line -> {})) {
        WatchedSource watched = new WatchedSource(source, progress);
        ByteBuffer bytes = ByteBuffer.allocateDirect(9);

        assertThat(watched.length()).isEqualTo(CONTENT.length);
        assertThat(watched.fillsDirectBuffers()).isEqualTo(source == file);
        assertThat(watched.open(2).readAllBytes()).containsExactly(3, 4, 5);
        try (ReadableByteChannel channel = watched.openChannel(1)) {
          assertThat(channel.read(bytes)).isEqualTo(4);
          assertThat(channel.read(bytes)).isEqualTo(-1);
        }
        assertThat(bytes.flip()).isEqualTo(ByteBuffer.wrap(CONTENT, 1, 4));
      }
    }
  }
}
