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

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.freshet.cli.backup.store.ChunkRef;

/**
 * One connection as a sequence of frames each way. Every length is checked before anything is
 * allocated for it. One thread may send while another receives.
 */
public final class Frames implements Closeable {
  /** The version of the protocol that this class speaks. */
  public static final int VERSION = 1;

  /** References in one {@code OFFER} at most; a multiple of eight. */
  public static final int MAX_REFS = 4096;

  private static final long MAGIC = 0x46525348_54424B50L; // "FRSHTBKP"
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int LINGER_MILLIS = 5_000;
  private static final long LINGER_BYTES = 64L << 20;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private long sentBytes;

  /**
   * @param socket connected; closed with this
   */
  public Frames(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    this.out =
        new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
  }

  /** Begins a connection as its agent. */
  public void greet() throws IOException {
    send(MessageType.HELLO, ByteBuffer.allocate(12).putLong(MAGIC).putInt(VERSION).flip());
    flush();
    checkGreeting(expect(MessageType.WELCOME));
  }

  /** Begins a connection as its server. */
  public void welcome() throws IOException {
    checkGreeting(expect(MessageType.HELLO));
    send(MessageType.WELCOME, ByteBuffer.allocate(12).putLong(MAGIC).putInt(VERSION).flip());
    flush();
  }

  /** Sends a frame, as far as the buffer; {@link #flush()} before waiting for an answer. */
  public void send(MessageType type, ByteBuffer body) throws IOException {
    int length = body.remaining();
    if (length > type.maxBody()) {
      throw new IllegalArgumentException(
          type + " of " + length + " bytes, expected " + type.maxBody() + " at most");
    }
    out.writeInt(Byte.BYTES + length);
    out.writeByte(type.code());
    if (body.hasArray()) {
      out.write(body.array(), body.arrayOffset() + body.position(), length);
    } else {
      byte[] copy = new byte[length];
      body.duplicate().get(copy);
      out.write(copy);
    }
    sentBytes += Integer.BYTES + Byte.BYTES + length;
  }

  /** Sends a frame without a body. */
  public void send(MessageType type) throws IOException {
    send(type, ByteBuffer.allocate(0));
  }

  /** Sends a frame whose body is a text, shortened to what fits. */
  public void send(MessageType type, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(utf8.length, type.maxBody() - Short.BYTES);
    ByteBuffer body = ByteBuffer.allocate(Short.BYTES + length);
    send(type, body.putShort((short) length).put(utf8, 0, length).flip());
  }

  /** Sends references. */
  public void send(List<ChunkRef> refs) throws IOException {
    ByteBuffer body = ByteBuffer.allocate(refs.size() * ChunkRef.BYTES);
    refs.forEach(ref -> ref.put(body));
    send(MessageType.OFFER, body.flip());
  }

  /** Hands over to the network what was sent. */
  public void flush() throws IOException {
    out.flush();
  }

  /** Bytes of all frames sent. */
  public long sentBytes() {
    return sentBytes;
  }

  /**
   * The next frame, or null if the other side has closed the connection between two frames.
   *
   * @throws RefusedException if it is an error
   * @throws ProtocolException if it is no frame
   */
  public Frame receive() throws IOException {
    int length;
    try {
      int first = in.read();
      if (first < 0) {
        return null;
      }
      length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
      if (length < Byte.BYTES) {
        throw notAFrame("a frame of " + length + " bytes");
      }
      byte code = in.readByte();
      MessageType type = MessageType.of(code);
      if (type == null) {
        throw notAFrame("a frame of kind " + code);
      }
      if (length - Byte.BYTES > type.maxBody()) {
        throw notAFrame(
            type
                + " of "
                + (length - Byte.BYTES)
                + " bytes where at most "
                + type.maxBody()
                + " are allowed");
      }
      byte[] body = new byte[length - Byte.BYTES];
      in.readFully(body);
      Frame frame = new Frame(type, ByteBuffer.wrap(body));
      if (type == MessageType.ERROR) {
        throw new RefusedException(frame.text());
      }
      return frame;
    } catch (EOFException e) {
      throw closed(e);
    } catch (SocketTimeoutException e) {
      throw new IOException(
          "the other side sent nothing for " + socket.getSoTimeout() / 1000 + " s", e);
    }
  }

  /**
   * The next frame, which must be one of these.
   *
   * @throws RefusedException if it is an error
   * @throws ProtocolException if it is something else
   * @throws EOFException if the connection ends instead
   */
  public Frame expect(MessageType... types) throws IOException {
    Frame frame = receive();
    if (frame == null) {
      throw closed(null);
    }
    if (!Arrays.asList(types).contains(frame.type())) {
      throw new ProtocolException("got " + frame.type() + ", expected " + Arrays.toString(types));
    }
    return frame;
  }

  /**
   * The references of an {@code OFFER}.
   *
   * @throws ProtocolException if the body is not made of whole, possible references
   */
  public static List<ChunkRef> refs(Frame offer) throws ProtocolException {
    ByteBuffer body = offer.body();
    if (body.remaining() % ChunkRef.BYTES != 0) {
      throw new ProtocolException(
          "OFFER of " + body.remaining() + " bytes, expected a multiple of " + ChunkRef.BYTES);
    }
    ChunkRef[] refs = new ChunkRef[body.remaining() / ChunkRef.BYTES];
    try {
      for (int i = 0; i < refs.length; i++) {
        refs[i] = ChunkRef.get(body);
      }
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("OFFER of " + e.getMessage());
    }
    return List.of(refs);
  }

  /**
   * Tells the other side why there will be nothing more, and waits until it has heard.
   *
   * <p>Closing a socket with unread bytes makes the system drop what was sent last, so what the
   * other side has under way is read and thrown away, within limits.
   */
  public void refuse(String reason) throws IOException {
    send(MessageType.ERROR, reason);
    flush();
    socket.shutdownOutput();
    socket.setSoTimeout(LINGER_MILLIS);
    byte[] unheard = new byte[BUFFER_BYTES];
    long left = LINGER_BYTES;
    try {
      for (int read = in.read(unheard); read >= 0 && left > 0; read = in.read(unheard)) {
        left -= read;
      }
    } catch (SocketTimeoutException e) {
      // It has stopped sending, or never will listen.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static void checkGreeting(Frame greeting) throws ProtocolException {
    greeting.requireLeft(Long.BYTES + Integer.BYTES);
    if (greeting.body().getLong() != MAGIC) {
      throw new ProtocolException("the other side is no Freshet backup");
    }
    int version = greeting.body().getInt();
    if (version != VERSION) {
      throw new ProtocolException(
          "the other side speaks version "
              + version
              + " of the backup protocol, expected "
              + VERSION
              + "; use the same version of Freshet on both sides");
    }
  }

  private static ProtocolException notAFrame(String what) {
    return new ProtocolException(
        "got " + what + ": the other side is no Freshet backup, or another version of it");
  }

  private static EOFException closed(EOFException cause) {
    EOFException closed = new EOFException("the other side closed the connection");
    closed.initCause(cause);
    return closed;
  }
}
