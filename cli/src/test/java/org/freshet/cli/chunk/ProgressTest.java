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
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.freshet.shredder.ByteSource;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void aLineSaysHowFarAndHowFast() {
    try (Progress progress = new Progress("disk", 4_000_000_000L, line -> {})) {
      progress.add(1_000_000_000);
      assertThat(progress.line(4)).isEqualTo("disk: 1.00 GB of 4.00 GB (25 %), 250 MB/s");
    }
  }

  @Test
  void whereNobodyKnowsTheLengthNoneIsTold() {
    try (Progress progress = new Progress("-", -1, line -> {})) {
      progress.add(2000);
      assertThat(progress.line(1)).isEqualTo("-: 2.00 kB, 2.00 kB/s");
    }
  }

  @Test
  void shortWorkIsNotTalkedAbout() {
    List<String> lines = new ArrayList<>();
    try (Progress progress = new Progress("x", 1, lines::add)) {
      progress.add(1);
    }
    assertThat(lines).isEmpty();
  }

  @Test
  void aWatchedSourceCountsWhateverWayItIsRead() throws Exception {
    ByteSource source =
        new ByteSource() {
          @Override
          public long length() {
            return 10;
          }

          @Override
          public InputStream open(long offset) throws IOException {
            return new ByteArrayInputStream(new byte[10], (int) offset, 10 - (int) offset);
          }
        };
    try (Progress progress = new Progress("x", 10, line -> {})) {
      ByteSource watched = new WatchedSource(source, progress);
      assertThat(watched.length()).isEqualTo(10);
      try (InputStream in = watched.open(4)) {
        assertThat(in.read()).isZero();
        assertThat(in.readAllBytes()).hasSize(5);
      }
      try (ReadableByteChannel channel = watched.openChannel(7)) {
        assertThat(channel.read(ByteBuffer.allocate(20))).isEqualTo(3);
      }
      assertThat(progress.line(1)).contains("9 bytes of 10 bytes (90 %)");
    }
  }
}
