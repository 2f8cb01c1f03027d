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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.freshet.cli.backup.protocol.Frame;
import org.freshet.cli.backup.protocol.Frames;
import org.freshet.cli.backup.protocol.MessageType;
import org.freshet.cli.backup.protocol.ProtocolException;
import org.freshet.cli.backup.protocol.RefusedException;
import org.freshet.cli.backup.store.BackupStore;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.ChunkRef;
import org.freshet.cli.backup.store.Image;
import org.freshet.cli.backup.store.ImageFile;
import org.freshet.cli.backup.store.ImageWriter;
import org.freshet.cli.backup.store.VerifyReport;

/** One agent's connection, from greeting to end. For use by one thread. */
final class ServerSession {
  private final BackupStore store;
  private final Frames frames;
  private final Consumer<String> log;

  ServerSession(BackupStore store, Frames frames, Consumer<String> log) {
    this.store = store;
    this.frames = frames;
    this.log = log;
  }

  /** Returns when the agent has closed the connection. */
  void run() throws IOException {
    try {
      frames.welcome();
      while (true) {
        Frame request = frames.receive();
        if (request == null) {
          return;
        }
        answer(request);
        frames.flush();
      }
    } catch (RefusedException e) {
      // The agent gave up and said why; it wants no answer.
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      tellAndRethrow(e);
    }
  }

  private void tellAndRethrow(Exception reason) throws IOException {
    try {
      frames.refuse(String.valueOf(reason.getMessage()));
    } catch (IOException goneAlready) {
      reason.addSuppressed(goneAlready);
    }
    throw reason instanceof IOException io ? io : new IOException(reason.getMessage(), reason);
  }

  private void answer(Frame request) throws IOException {
    switch (request.type()) {
      case PUT -> put(nameOf(request));
      case LIST -> list();
      case RESTORE -> restore(request);
      case VERIFY -> verify();
      default -> throw new ProtocolException("got " + request.type() + ", expected a request");
    }
  }

  private static String nameOf(Frame request) throws IOException {
    String name = request.text();
    request.requireEnd();
    return name;
  }

  private void put(String name) throws IOException {
    long grown = 0;
    try (ImageWriter image = store.begin(name)) {
      Frame frame = frames.expect(MessageType.OFFER, MessageType.COMMIT);
      while (frame.type() == MessageType.OFFER) {
        grown += takeOffer(Frames.refs(frame), image);
        frame = frames.expect(MessageType.OFFER, MessageType.COMMIT);
      }
      frame.requireLeft(ChunkDigest.BYTES);
      ChunkDigest id = ChunkDigest.get(frame.body());
      frame.requireEnd();
      Image committed = image.commit(id);
      frames.send(MessageType.IMAGE, Images.encode(committed));
      log.accept(
          "put "
              + committed.name()
              + " number "
              + committed.sequence()
              + ": "
              + committed.bytes()
              + " bytes, the store grew by "
              + grown);
    }
  }

  /** Returns by how many bytes the store grew. */
  private long takeOffer(List<ChunkRef> offered, ImageWriter image) throws IOException {
    long grown = 0;
    BitSet wanted = new BitSet(offered.size());
    Set<ChunkDigest> asked = new HashSet<>();
    for (int i = 0; i < offered.size(); i++) {
      ChunkDigest digest = offered.get(i).digest();
      wanted.set(i, !store.contains(digest) && asked.add(digest));
    }
    frames.send(MessageType.WANT, Images.encode(wanted, offered.size()));
    frames.flush();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      ChunkRef ref = offered.get(i);
      // Another agent may have brought it meanwhile.
      grown += store.add(ref, frames.expect(MessageType.CHUNK).body()) ? ref.length() : 0;
    }
    for (ChunkRef ref : offered) {
      image.add(ref);
    }
    return grown;
  }

  private void list() throws IOException {
    List<String> damaged = new ArrayList<>();
    for (Image image : store.images(damaged)) {
      frames.send(MessageType.IMAGE, Images.encode(image));
    }
    sendProblems(damaged);
    frames.send(MessageType.END);
  }

  private void restore(Frame request) throws IOException {
    String name = request.text();
    request.requireLeft(Integer.BYTES);
    int sequence = request.body().getInt();
    request.requireEnd();
    ImageFile image = store.image(name, sequence);
    frames.send(MessageType.IMAGE, Images.encode(image.image()));
    for (List<ChunkRef> batch : image.batches(Frames.MAX_REFS)) {
      frames.send(batch);
      for (ChunkRef ref : batch) {
        frames.send(MessageType.CHUNK, store.read(ref));
      }
    }
    frames.send(MessageType.END);
  }

  private void verify() throws IOException {
    VerifyReport report = store.verify();
    sendProblems(report.problems());
    frames.send(
        MessageType.VERIFIED,
        ByteBuffer.allocate(3 * Long.BYTES)
            .putLong(report.chunks())
            .putLong(report.bytes())
            .putLong(report.images())
            .flip());
  }

  private void sendProblems(List<String> problems) throws IOException {
    for (String problem : problems) {
      frames.send(MessageType.PROBLEM, problem);
    }
  }
}
