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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.freshet.cli.backup.protocol.Frames;
import org.freshet.cli.backup.protocol.MessageType;
import org.freshet.cli.backup.protocol.RefusedException;
import org.freshet.cli.backup.store.BackupStore;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.ChunkRef;
import org.freshet.cli.backup.store.Image;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
  private static final Chunker CHUNKER = new Chunker(ChunkerConfig.withAverage(1 << 10));
  private static final long SEED = 3;

  @TempDir private Path dir;
  private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
  private BackupStore store;
  private BackupServer server;

  @BeforeEach
  void serve() throws Exception {
    store = BackupStore.open(dir.resolve("store"));
    server = BackupServer.start(store, 0, log::add);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    store.close();
  }

  @Test
  void anImageThatIsThereAlreadyIsNotSentAgain() throws Exception {
    MemoryImage image = random(300_000, SEED);
    try (BackupAgent agent = connect()) {
      PutResult first = agent.put("disk", image, CHUNKER, 1);
      assertThat(first.sentChunkBytes()).isEqualTo(300_000);
      assertThat(first.sentChunks()).isEqualTo(first.image().chunks());
      PutResult again = agent.put("disk", image, CHUNKER, 2);
      assertThat(again.sentChunks()).isZero();
      assertThat(again.wireBytes()).isLessThan(37 * again.image().chunks() + 200);
      assertThat(again.image().sequence()).isEqualTo(2);
      assertThat(again.image().id()).isEqualTo(first.image().id());
      assertThat(restore(agent, "disk", 1)).isEqualTo(image.bytes());
      assertThat(restore(agent, "disk", 2)).isEqualTo(image.bytes());
    }
  }

  @Test
  void anInsertedByteCostsTwoChunksAtMost() throws Exception {
    byte[] before = random(200_000, SEED).bytes();
    byte[] after = new byte[before.length + 1];
    System.arraycopy(before, 0, after, 0, 70_000);
    System.arraycopy(before, 70_000, after, 70_001, before.length - 70_000);
    try (BackupAgent agent = connect()) {
      agent.put("disk", new MemoryImage(before), CHUNKER, 1);
      PutResult put = agent.put("disk", new MemoryImage(after), CHUNKER, 1);
      assertThat(put.sentChunks()).isBetween(1L, 2L);
      assertThat(restore(agent, "disk", 0)).isEqualTo(after);
    }
  }

  @Test
  void aChunkThatRepeatsWithinAnImageIsSentOnce() throws Exception {
    byte[] zeros = new byte[2_000_000];
    try (BackupAgent agent = connect()) {
      PutResult put = agent.put("zeros", new MemoryImage(zeros), CHUNKER, 1);
      assertThat(put.image().chunks()).isGreaterThan(400);
      assertThat(put.sentChunks()).isLessThanOrEqualTo(2);
      assertThat(restore(agent, "zeros", 0)).isEqualTo(zeros);
    }
  }

  @Test
  void whatChangedMeanwhileIsNotCommitted() throws Exception {
    MemoryImage image = random(30_000, SEED);
    try (BackupAgent agent = connect()) {
      assertThatThrownBy(
              () ->
                  agent.put(
                      "disk",
                      image,
                      CHUNKER,
                      1,
                      bytes -> {},
                      () -> {
                        throw new IOException("it has changed");
                      }))
          .hasMessage("it has changed");
    }
    try (BackupAgent agent = connect()) {
      assertThat(agent.list(damaged -> {})).isEmpty();
    }
  }

  @Test
  void anImageMayHaveTheNameOfADraft() throws Exception {
    MemoryImage image = random(3_000, SEED);
    try (BackupAgent agent = connect()) {
      agent.put("report.draft", image, CHUNKER, 1);
    }
    server.close();
    store.close();
    serve();
    try (BackupAgent agent = connect()) {
      assertThat(restore(agent, "report.draft", 1)).isEqualTo(image.bytes());
    }
  }

  @Test
  void anEmptyImageIsAnImage() throws Exception {
    try (BackupAgent agent = connect()) {
      agent.put("nothing", new MemoryImage(new byte[0]), CHUNKER, 1);
      assertThat(restore(agent, "nothing", 0)).isEmpty();
    }
  }

  @Test
  void agentsThatPutTheSameAtOnceStoreItOnce() throws Exception {
    byte[] common = random(400_000, SEED).bytes();
    int agents = 6;
    ExecutorService threads = Executors.newFixedThreadPool(agents);
    List<Callable<byte[]>> tasks = new ArrayList<>();
    for (int i = 0; i < agents; i++) {
      byte[] own = Arrays.copyOf(common, common.length + 10_000);
      System.arraycopy(random(10_000, SEED + 1 + i).bytes(), 0, own, common.length, 10_000);
      String name = "disk" + i;
      tasks.add(
          () -> {
            try (BackupAgent agent = connect()) {
              agent.put(name, new MemoryImage(own), CHUNKER, 1);
              assertThat(restore(agent, name, 0)).isEqualTo(own);
              return own;
            }
          });
    }
    for (Future<byte[]> done : threads.invokeAll(tasks)) {
      assertThat(done.get()).isNotEmpty();
    }
    threads.shutdown();
    assertThat(store.chunkBytes()).isBetween(460_000L, 460_000L + agents * 4L * 1024);
    try (BackupAgent agent = connect()) {
      assertThat(agent.list(line -> {})).extracting(Image::name).hasSize(agents);
      assertThat(agent.verify().sound()).isTrue();
    }
  }

  @Test
  void anAgentThatDiesLeavesNoImageAndTheServerGoesOn() throws Exception {
    MemoryImage image = random(50_000, SEED);
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    Frames frames = new Frames(socket);
    frames.greet();
    frames.send(MessageType.PUT, "disk");
    frames.send(List.of(ref(image.bytes())));
    frames.flush();
    frames.expect(MessageType.WANT);
    frames.close();
    try (BackupAgent agent = connect()) {
      assertThat(agent.list(line -> {})).isEmpty();
      agent.put("disk", image, CHUNKER, 1);
      assertThat(agent.list(line -> {})).hasSize(1);
    }
  }

  @Test
  void aSourceThatChangesWhileItIsReadIsNotCommitted() throws Exception {
    byte[] bytes = random(100_000, SEED).bytes();
    // Read once to be cut, and again, by then other content, to be sent.
    AtomicInteger opened = new AtomicInteger();
    ByteSource restless =
        source(
            bytes.length,
            offset -> {
              if (opened.getAndIncrement() > 0) {
                Arrays.fill(bytes, (byte) 1);
              }
              return new MemoryImage(bytes).open(offset);
            });
    try (BackupAgent agent = connect()) {
      assertThatThrownBy(() -> agent.put("disk", restless, CHUNKER, 1))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("came with other content");
    }
    try (BackupAgent agent = connect()) {
      assertThat(agent.list(line -> {})).isEmpty();
    }
  }

  @Test
  void aFailureToReadTheSourceEndsTheBackup() throws Exception {
    ByteSource broken =
        source(
            100_000,
            offset -> {
              throw new IOException("unreadable");
            });
    try (BackupAgent agent = connect()) {
      assertThatThrownBy(() -> agent.put("disk", broken, CHUNKER, 1))
          .isInstanceOf(IOException.class)
          .hasMessage("unreadable");
    }
  }

  @Test
  void whatIsNotThereIsNamed() throws Exception {
    try (BackupAgent agent = connect()) {
      assertThatThrownBy(() -> agent.restore("none", 0, new ByteArrayOutputStream()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("no image 'none'");
    }
    try (BackupAgent agent = connect()) {
      agent.put("disk", random(10, SEED), CHUNKER, 1);
      assertThatThrownBy(() -> agent.restore("disk", 2, new ByteArrayOutputStream()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("number 2");
    }
  }

  @Test
  void damageInTheStoreIsReportedAndNotRestored() throws Exception {
    MemoryImage image = random(20_000, SEED);
    try (BackupAgent agent = connect()) {
      agent.put("disk", image, CHUNKER, 1);
    }
    Path pack = dir.resolve("store/packs/00000001.pack");
    byte[] bytes = Files.readAllBytes(pack);
    bytes[bytes.length - 1] ^= 4;
    Files.write(pack, bytes);
    try (BackupAgent agent = connect()) {
      assertThatThrownBy(() -> agent.restore("disk", 0, new ByteArrayOutputStream()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("is damaged");
    }
    try (BackupAgent agent = connect()) {
      assertThat(agent.verify().sound()).isFalse();
      PutResult healed = agent.put("disk", image, CHUNKER, 1);
      assertThat(healed.sentChunks()).isEqualTo(1);
      assertThat(agent.verify().sound()).isTrue();
      assertThat(restore(agent, "disk", 1)).isEqualTo(image.bytes());
    }
  }

  @Test
  void whoeverIsNoAgentIsToldSoAndTheServerGoesOn() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).contains("no Freshet backup");
    }
    try (BackupAgent agent = connect()) {
      assertThat(agent.verify().sound()).isTrue();
    }
  }

  @Test
  void aMessageThatIsNoRequestIsRefused() throws Exception {
    try (Frames frames = new Frames(new Socket(InetAddress.getLoopbackAddress(), server.port()))) {
      frames.greet();
      frames.send(MessageType.COMMIT, ByteBuffer.allocate(ChunkDigest.BYTES));
      frames.flush();
      assertThatThrownBy(frames::receive)
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("COMMIT");
    }
  }

  @Test
  void aNameThatWouldLeaveTheStoreIsRefusedByTheServerToo() throws Exception {
    try (Frames frames = new Frames(new Socket(InetAddress.getLoopbackAddress(), server.port()))) {
      frames.greet();
      frames.send(MessageType.PUT, "../../x");
      frames.flush();
      assertThatThrownBy(frames::receive)
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("'../../x'");
    }
  }

  @Test
  void noServerIsSaidToBeNone() throws Exception {
    int port = server.port();
    server.close();
    assertThatThrownBy(() -> BackupAgent.connect(port))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no backup server listens on port " + port);
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    assertThatThrownBy(() -> BackupServer.start(store, server.port(), log::add))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("port " + server.port());
  }

  private BackupAgent connect() throws IOException {
    return BackupAgent.connect(server.port());
  }

  private static byte[] restore(BackupAgent agent, String name, int sequence) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    agent.restore(name, sequence, out);
    return out.toByteArray();
  }

  /** What may fail to be opened. */
  private interface Opening {
    InputStream open(long offset) throws IOException;
  }

  private static ByteSource source(long length, Opening opening) {
    return new ByteSource() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public InputStream open(long offset) throws IOException {
        return opening.open(offset);
      }
    };
  }

  private static ChunkRef ref(byte[] content) {
    return new ChunkRef(ChunkDigest.ofContent(ByteBuffer.wrap(content)), content.length);
  }

  private static MemoryImage random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return new MemoryImage(bytes);
  }
}
