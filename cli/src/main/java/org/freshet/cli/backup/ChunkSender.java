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
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.freshet.cli.backup.protocol.Frames;
import org.freshet.cli.backup.protocol.MessageType;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.ChunkRef;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;

/**
 * Takes the chunks of one image in order, asks the server in batches which it lacks, and sends
 * those. One batch is on its way, on a thread of its own, while the next one fills.
 *
 * <p>The content of a chunk that has to be sent is read from the source once more: the source is in
 * memory, or most of the time in the system's cache, and what has to be sent is the smaller part.
 */
final class ChunkSender implements Closeable {
  private static final int BATCH_REFS = 1024;
  private static final long BATCH_BYTES = 16L << 20;

  private final Frames frames;
  private final ByteSource source;
  private final MessageDigest refDigest;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread sender = new Thread(task, "backup-sender");
            sender.setDaemon(true);
            return sender;
          });

  private List<Chunk> batch = new ArrayList<>();
  private long batchBytes;
  private Future<?> underWay;

  /** The next four belong to the sending thread while a batch is under way. */
  private InputStream in;

  private long position;
  private long sentChunks;
  private long sentBytes;

  /**
   * @param refDigest is fed with every reference
   */
  ChunkSender(Frames frames, ByteSource source, MessageDigest refDigest) {
    this.frames = frames;
    this.source = source;
    this.refDigest = refDigest;
  }

  /** The image goes on with this chunk. */
  void add(Chunk chunk) {
    if (chunk.length() > ChunkRef.MAX_CHUNK_BYTES) {
      throw new UncheckedIOException(
          new IOException(
              "a chunk of "
                  + chunk.length()
                  + " bytes at "
                  + chunk.offset()
                  + ", expected at most "
                  + ChunkRef.MAX_CHUNK_BYTES
                  + "; set a lower maximum"));
    }
    batch.add(chunk);
    batchBytes += chunk.length();
    if (batch.size() == BATCH_REFS || batchBytes >= BATCH_BYTES) {
      handOver();
    }
  }

  /** Returns when everything added is at the server. */
  void finish() throws IOException {
    try {
      handOver();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    await();
  }

  /** Chunks sent; after {@link #finish()}. */
  long sentChunks() {
    return sentChunks;
  }

  /** Bytes of the chunks sent; after {@link #finish()}. */
  long sentBytes() {
    return sentBytes;
  }

  @Override
  public void close() throws IOException {
    thread.shutdown();
    if (underWay != null && !underWay.isDone()) {
      // Given up in the middle: the sender would wait for the server's answer. Closing ends that.
      frames.close();
      try {
        await();
      } catch (IOException expected) {
        // The reason for giving up is already on its way to the caller.
      }
    }
    if (in != null) {
      in.close();
    }
  }

  private void handOver() {
    try {
      await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!batch.isEmpty()) {
      List<Chunk> full = batch;
      underWay =
          thread.submit(
              () -> {
                send(full);
                return null;
              });
      batch = new ArrayList<>();
      batchBytes = 0;
    }
  }

  private void await() throws IOException {
    if (underWay == null) {
      return;
    }
    try {
      underWay.get();
      underWay = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while chunks were being sent");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new IllegalStateException("sending failed", e.getCause());
    }
  }

  private void send(List<Chunk> chunks) throws IOException {
    List<ChunkRef> refs = new ArrayList<>(chunks.size());
    ByteBuffer encoded = ByteBuffer.allocate(chunks.size() * ChunkRef.BYTES);
    for (Chunk chunk : chunks) {
      ChunkRef ref = new ChunkRef(ChunkDigest.of(chunk.digest()), (int) chunk.length());
      ref.put(encoded);
      refs.add(ref);
    }
    refDigest.update(encoded.flip());
    frames.send(refs);
    frames.flush();
    BitSet wanted = Images.decodeWanted(frames.expect(MessageType.WANT), refs.size());
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      Chunk chunk = chunks.get(i);
      frames.send(MessageType.CHUNK, ByteBuffer.wrap(content(chunk)));
      sentChunks++;
      sentBytes += chunk.length();
    }
    frames.flush();
  }

  private byte[] content(Chunk chunk) throws IOException {
    if (in == null || position != chunk.offset()) {
      if (in != null) {
        in.close();
      }
      in = source.open(chunk.offset());
    }
    byte[] content = in.readNBytes((int) chunk.length());
    position = chunk.end();
    if (content.length < chunk.length()) {
      throw new IOException(
          "the source ends at "
              + (chunk.offset() + content.length)
              + ", before the end of a chunk cut from it at "
              + chunk.end());
    }
    return content;
  }
}
