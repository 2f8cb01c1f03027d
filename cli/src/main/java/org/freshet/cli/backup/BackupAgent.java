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

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.freshet.cli.backup.protocol.Frame;
import org.freshet.cli.backup.protocol.Frames;
import org.freshet.cli.backup.protocol.MessageType;
import org.freshet.cli.backup.protocol.ProtocolException;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.ChunkRef;
import org.freshet.cli.backup.store.DamagedChunkException;
import org.freshet.cli.backup.store.Image;
import org.freshet.cli.backup.store.VerifyReport;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;

/**
 * The agent's end of a connection to a backup server. For use by one thread; requests follow each
 * other. After an exception the connection is of no more use.
 */
public final class BackupAgent implements Closeable {
  private final Frames frames;

  private BackupAgent(Frames frames) {
    this.frames = frames;
  }

  /**
   * Connects to a server on this machine.
   *
   * @throws IOException if there is none, or it is something else
   */
  public static BackupAgent connect(int port) throws IOException {
    Socket socket;
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (ConnectException e) {
      throw new IOException(
          "no backup server listens on port " + port + "; start one with 'freshet backup serve'",
          e);
    }
    boolean greeted = false;
    try {
      Frames frames = new Frames(socket);
      frames.greet();
      greeted = true;
      return new BackupAgent(frames);
    } finally {
      if (!greeted) {
        socket.close();
      }
    }
  }

  /**
   * Backs up an image: cuts it, and sends the chunks that the server lacks. While a batch is on its
   * way the next one is cut and digested.
   *
   * @param source must keep still; a chunk that is read with other content than it was cut with
   *     fails the backup
   * @param chunker whose chunks must not be longer than {@link ChunkRef#MAX_CHUNK_BYTES}
   * @param threads how many search and digest; the sending thread comes on top
   * @throws IOException if the server refuses or the source cannot be read; nothing is committed
   *     then
   */
  public PutResult put(String name, ByteSource source, Chunker chunker, int threads)
      throws IOException {
    return put(name, source, chunker, threads, bytes -> {}, () -> {});
  }

  /** Looks at a source when all of it has been sent. */
  @FunctionalInterface
  public interface LastLook {
    /**
     * Called before the image is committed.
     *
     * @throws IOException if it must not be
     */
    void atSource() throws IOException;
  }

  /**
   * As {@link #put(String, ByteSource, Chunker, int)}.
   *
   * @param progress is told the length of each chunk as it is cut
   * @param lastLook tells whether the source kept still: what changed in front of where it is cut
   *     is not noticed otherwise
   */
  public PutResult put(
      String name,
      ByteSource source,
      Chunker chunker,
      int threads,
      LongConsumer progress,
      LastLook lastLook)
      throws IOException {
    long begin = System.nanoTime();
    long wireBefore = frames.sentBytes();
    frames.send(MessageType.PUT, Image.requireName(name));
    MessageDigest refs = ChunkDigest.start();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (ChunkSender sender = new ChunkSender(frames, source, refs)) {
      chunker.chunk(
          source,
          executor,
          threads,
          chunk -> {
            progress.accept(chunk.length());
            sender.add(chunk);
          });
      sender.finish();
      lastLook.atSource();
      frames.send(MessageType.COMMIT, ByteBuffer.wrap(refs.digest()));
      frames.flush();
      Image image = Images.decode(frames.expect(MessageType.IMAGE));
      return new PutResult(
          image,
          sender.sentChunks(),
          sender.sentBytes(),
          frames.sentBytes() - wireBefore,
          (System.nanoTime() - begin) / 1e9);
    } catch (UncheckedIOException e) {
      // From the sender, through the chunker.
      throw explained(e.getCause());
    } catch (SocketException e) {
      throw explained(e);
    } finally {
      executor.shutdownNow();
    }
  }

  private static IOException explained(IOException e) {
    return e instanceof SocketException
        ? new IOException(
            "the backup server has gone away ("
                + e.getMessage()
                + "); what it has written stays: start it again and put the image again",
            e)
        : e;
  }

  /**
   * Every image of the store.
   *
   * @param damaged is told of those whose record is damaged, a line each
   */
  public List<Image> list(Consumer<String> damaged) throws IOException {
    frames.send(MessageType.LIST);
    frames.flush();
    List<Image> images = new ArrayList<>();
    while (true) {
      Frame frame = frames.expect(MessageType.IMAGE, MessageType.PROBLEM, MessageType.END);
      switch (frame.type()) {
        case IMAGE -> images.add(Images.decode(frame));
        case PROBLEM -> damaged.accept(frame.text());
        default -> {
          return images;
        }
      }
    }
  }

  /**
   * Writes an image as it was put, each chunk checked by its digest before it is written.
   *
   * @param sequence its number, or 0 for the last of that name
   * @throws IOException if the server does not have it whole; {@code out} may then have got a part
   */
  public Image restore(String name, int sequence, OutputStream out) throws IOException {
    byte[] utf8 = Image.requireName(name).getBytes(StandardCharsets.UTF_8);
    frames.send(
        MessageType.RESTORE,
        ByteBuffer.allocate(Short.BYTES + utf8.length + Integer.BYTES)
            .putShort((short) utf8.length)
            .put(utf8)
            .putInt(sequence)
            .flip());
    frames.flush();
    Image image = Images.decode(frames.expect(MessageType.IMAGE));
    MessageDigest refDigest = ChunkDigest.start();
    long bytes = 0;
    Frame frame = frames.expect(MessageType.OFFER, MessageType.END);
    while (frame.type() == MessageType.OFFER) {
      refDigest.update(frame.body().duplicate());
      for (ChunkRef ref : Frames.refs(frame)) {
        ByteBuffer content = frames.expect(MessageType.CHUNK).body();
        if (!ChunkDigest.ofContent(content).equals(ref.digest())) {
          throw new DamagedChunkException(ref.digest(), "was damaged on its way from the server");
        }
        out.write(content.array(), content.arrayOffset() + content.position(), content.remaining());
        bytes += content.remaining();
      }
      frame = frames.expect(MessageType.OFFER, MessageType.END);
    }
    if (bytes != image.bytes() || !ChunkDigest.of(refDigest.digest()).equals(image.id())) {
      throw new ProtocolException(
          "the server sent "
              + bytes
              + " bytes of other chunks than image '"
              + name
              + "' is made of, expected "
              + image.bytes());
    }
    return image;
  }

  /** Has the server read every byte of its store. Takes as long as that does. */
  public VerifyReport verify() throws IOException {
    frames.send(MessageType.VERIFY);
    frames.flush();
    List<String> problems = new ArrayList<>();
    Frame frame = frames.expect(MessageType.PROBLEM, MessageType.VERIFIED);
    while (frame.type() == MessageType.PROBLEM) {
      problems.add(frame.text());
      frame = frames.expect(MessageType.PROBLEM, MessageType.VERIFIED);
    }
    frame.requireLeft(3 * Long.BYTES);
    ByteBuffer body = frame.body();
    VerifyReport report =
        new VerifyReport(body.getLong(), body.getLong(), body.getLong(), problems);
    frame.requireEnd();
    return report;
  }

  @Override
  public void close() throws IOException {
    frames.close();
  }
}
