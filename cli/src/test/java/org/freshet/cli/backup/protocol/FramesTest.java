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
package org.freshet.cli.backup.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.ChunkRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FramesTest {
  private Socket raw;
  private Frames frames;

  @BeforeEach
  void connect() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      raw = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
      frames = new Frames(listener.accept());
    }
  }

  @AfterEach
  void disconnect() throws Exception {
    raw.close();
    frames.close();
  }

  @Test
  void aFrameArrivesAsItWasSent() throws Exception {
    Frames other = new Frames(raw);
    other.send(MessageType.PUT, "na\u00efve");
    List<ChunkRef> refs = List.of(ref(1), ref(ChunkRef.MAX_CHUNK_BYTES));
    other.send(refs);
    other.send(MessageType.CHUNK, ByteBuffer.wrap(new byte[] {9, 8, 7}, 1, 2));
    other.send(MessageType.END);
    other.flush();
    assertThat(frames.receive().text()).isEqualTo("na\u00efve");
    assertThat(Frames.refs(frames.expect(MessageType.OFFER))).isEqualTo(refs);
    assertThat(frames.receive().body()).isEqualTo(ByteBuffer.wrap(new byte[] {8, 7}));
    frames.expect(MessageType.END).requireEnd();
    other.close();
    assertThat(frames.receive()).isNull();
  }

  @Test
  void theLongestChunkFits() throws Exception {
    byte[] chunk = new byte[ChunkRef.MAX_CHUNK_BYTES];
    Arrays.fill(chunk, (byte) 5);
    Thread sender =
        new Thread(
            () -> {
              try {
                Frames other = new Frames(raw);
                other.send(MessageType.CHUNK, ByteBuffer.wrap(chunk));
                other.flush();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    sender.start();
    assertThat(frames.receive().body()).isEqualTo(ByteBuffer.wrap(chunk));
    sender.join();
  }

  @ParameterizedTest
  @EnumSource(MessageType.class)
  void aFrameLongerThanItsKindAllowsIsRefusedBeforeItIsRead(MessageType type) throws Exception {
    sendRaw(header(type.maxBody() + 2, type.code()));
    assertThatThrownBy(() -> frames.receive())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining(type + " of " + (type.maxBody() + 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void aFrameOfNoLengthIsRefused(int length) throws Exception {
    sendRaw(header(length, 1));
    assertThatThrownBy(() -> frames.receive()).isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9, 64, 72, 127, -1, -128})
  void aFrameOfUnknownKindIsRefused(int code) throws Exception {
    sendRaw(header(1, code));
    assertThatThrownBy(() -> frames.receive())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("a frame of kind " + code);
  }

  @Test
  void aConnectionThatEndsWithinAFrameIsNoEndOfMessages() throws Exception {
    sendRaw(new byte[] {0, 0, 0, 5, 2, 0});
    raw.shutdownOutput();
    assertThatThrownBy(() -> frames.receive())
        .isInstanceOf(EOFException.class)
        .hasMessageContaining("closed the connection");
  }

  @Test
  void anErrorIsThrownWithWhatTheOtherSideSaid() throws Exception {
    Frames other = new Frames(raw);
    other.send(MessageType.ERROR, "no space");
    other.flush();
    assertThatThrownBy(() -> frames.expect(MessageType.WANT))
        .isInstanceOf(RefusedException.class)
        .hasMessage("no space");
  }

  @Test
  void anErrorOfAnyLengthIsShortenedToWhatFits() throws Exception {
    Frames other = new Frames(raw);
    other.send(MessageType.ERROR, "x".repeat(1 << 17));
    other.flush();
    assertThatThrownBy(() -> frames.receive())
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.getMessage()).hasSize(MessageType.ERROR.maxBody() - 2));
  }

  @Test
  void anotherMessageThanExpectedIsNamed() throws Exception {
    Frames other = new Frames(raw);
    other.send(MessageType.LIST);
    other.flush();
    assertThatThrownBy(() -> frames.expect(MessageType.OFFER, MessageType.COMMIT))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("LIST")
        .hasMessageContaining("[OFFER, COMMIT]");
  }

  @Test
  void anotherProtocolIsNoticed() throws Exception {
    sendRaw("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> frames.welcome())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("no Freshet backup");
  }

  @Test
  void anotherVersionIsNamed() throws Exception {
    Frames other = new Frames(raw);
    ByteBuffer hello = ByteBuffer.allocate(12).putLong(0x4652534854424B50L).putInt(2).flip();
    other.send(MessageType.HELLO, hello);
    other.flush();
    assertThatThrownBy(() -> frames.welcome())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("version 2")
        .hasMessageContaining("expected 1");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 35, 37})
  void anOfferOfPartsOfReferencesIsRefused(int length) throws Exception {
    Frames other = new Frames(raw);
    other.send(MessageType.OFFER, ByteBuffer.allocate(length));
    other.flush();
    Frame offer = frames.receive();
    assertThatThrownBy(() -> Frames.refs(offer)).isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, ChunkRef.MAX_CHUNK_BYTES + 1})
  void anOfferOfAnImpossibleChunkIsRefused(int length) throws Exception {
    Frames other = new Frames(raw);
    ByteBuffer body = ByteBuffer.allocate(ChunkRef.BYTES);
    body.putInt(ChunkDigest.BYTES, length);
    other.send(MessageType.OFFER, body);
    other.flush();
    Frame offer = frames.receive();
    assertThatThrownBy(() -> Frames.refs(offer))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("a chunk of " + length);
  }

  @Test
  void aTextThatIsCutShortIsRefused() throws Exception {
    sendRaw(new byte[] {0, 0, 0, 4, 2, 0, 9, 'x'});
    Frame put = frames.receive();
    assertThatThrownBy(put::text).isInstanceOf(ProtocolException.class);
  }

  private static ChunkRef ref(int length) {
    return new ChunkRef(ChunkDigest.ofContent(ByteBuffer.allocate(4).putInt(0, length)), length);
  }

  private static byte[] header(int length, int code) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(length);
    out.writeByte(code);
    return bytes.toByteArray();
  }

  private void sendRaw(byte[] bytes) throws IOException {
    raw.getOutputStream().write(bytes);
    raw.getOutputStream().flush();
  }
}
