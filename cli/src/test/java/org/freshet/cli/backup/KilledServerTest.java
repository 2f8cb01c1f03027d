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
package org.freshet.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.freshet.cli.FreshetCommand;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server process that is killed while an agent talks to it, and started again. */
class KilledServerTest {
  private static final Chunker CHUNKER = new Chunker(ChunkerConfig.withAverage(1 << 10));

  @TempDir private Path dir;

  @Test
  void whatWasCommittedIsThereAfterTheServerWasKilledInTheMiddleOfTheNextImage() throws Exception {
    byte[] first = random(100_000, 1);
    byte[] second = random(40_000_000, 2);
    ServerProcess server = new ServerProcess(dir.resolve("store"));
    try (BackupAgent agent = BackupAgent.connect(server.port)) {
      agent.put("disk", new MemoryImage(first), CHUNKER, 1);
      KillingSource killing = new KillingSource(new MemoryImage(second), 20_000_000, server);
      assertThatThrownBy(() -> agent.put("disk", killing, CHUNKER, 1))
          .isInstanceOf(IOException.class)
          // As the system tells it: while something is sent, or read.
          .hasMessageMatching(
              "the backup server has gone away .* put the image again"
                  + "|the other side closed the connection");
    } finally {
      server.kill();
    }
    ServerProcess again = new ServerProcess(dir.resolve("store"));
    try (BackupAgent agent = BackupAgent.connect(again.port)) {
      assertThat(agent.verify().problems()).isEmpty();
      assertThat(agent.list(line -> {})).hasSize(1);
      assertThat(restore(agent)).isEqualTo(first);
      PutResult put = agent.put("disk", new MemoryImage(second), CHUNKER, 1);
      assertThat(put.sentChunkBytes()).isLessThan(second.length);
      assertThat(restore(agent)).isEqualTo(second);
    } finally {
      again.kill();
    }
  }

  private static byte[] restore(BackupAgent agent) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    agent.restore("disk", 0, out);
    return out.toByteArray();
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** {@code freshet backup serve} on a port of the system's choice. */
  private static final class ServerProcess {
    private final Process process;
    private final int port;

    ServerProcess(Path store) throws IOException {
      process =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElse("java"),
                  "-cp",
                  System.getProperty("java.class.path"),
                  FreshetCommand.class.getName(),
                  "backup",
                  "serve",
                  "--port",
                  "0",
                  store.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      assertThat(line).as("the server's first line").contains(" on port ");
      port = Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }
  }

  /** Kills the server when so much has been read. */
  private record KillingSource(MemoryImage image, int after, ServerProcess server)
      implements ByteSource {
    @Override
    public long length() {
      return image.length();
    }

    @Override
    public InputStream open(long offset) {
      return new FilterInputStream(image.open(offset)) {
        private long position = offset;

        @Override
        public int read(byte[] bytes, int from, int count) throws IOException {
          int read = in.read(bytes, from, count);
          position += Math.max(0, read);
          if (position > after) {
            try {
              server.kill();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
          return read;
        }
      };
    }
  }
}
