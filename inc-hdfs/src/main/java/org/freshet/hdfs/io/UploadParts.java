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
package org.freshet.hdfs.io;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSStripedOutputStream;
import org.apache.hadoop.ipc.RemoteException;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.hdfs.index.FileReplacement;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.SourceChangedException;

/**
 * One file on its way to another file system. Its parts gather in a directory beside the target,
 * whose hidden name tells which version of which file they are of. A part has its name when it is
 * whole; so what is found there need not be sent again.
 */
final class UploadParts {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileSystem fs;
  private final Path target;
  private final Path directory;
  private final UploadPlan plan;
  private final ByteSource source;
  private final LongConsumer sent;

  /** Set when a part was not sent: the others need not be either. */
  private volatile boolean brokenOff;

  /**
   * @param fs of the target
   * @param identity names the version of the source, its target and its parts
   * @param sent is told of bytes as they are sent, or found to be there; by several threads
   */
  UploadParts(
      FileSystem fs,
      Path target,
      String identity,
      UploadPlan plan,
      ByteSource source,
      LongConsumer sent) {
    this.fs = fs;
    this.target = target;
    this.directory = new Path(target.getParent(), "_put-" + identity);
    this.plan = plan;
    this.source = source;
    this.sent = sent;
  }

  /**
   * What has arrived, of one part or all.
   *
   * @param chunks with the digests of the bytes that were sent
   * @param resumedBytes that had arrived before
   */
  record Sent(List<Chunk> chunks, long resumedBytes) {}

  /**
   * Sends what is not there yet.
   *
   * @param executor sends several parts at a time; empty for this thread alone
   * @throws SourceChangedException if the source is not as long as it was
   * @throws IOException if a part cannot be sent; those that arrived stay, and nothing else
   */
  Sent send(Optional<ExecutorService> executor) throws IOException {
    try {
      return sendAll(executor);
    } catch (IOException | RuntimeException e) {
      try {
        deleteIfEmpty();
      } catch (IOException | RuntimeException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private Sent sendAll(Optional<ExecutorService> executor) throws IOException {
    boolean joined = isJoined();
    List<Callable<Sent>> tasks = new ArrayList<>();
    for (int i = 0; i < plan.parts().size(); i++) {
      int number = i;
      tasks.add(() -> send(number, joined));
    }
    List<Chunk> chunks = new ArrayList<>();
    long resumed = 0;
    for (Sent part : executor.isPresent() ? together(tasks, executor.get()) : oneByOne(tasks)) {
      chunks.addAll(part.chunks());
      resumed += part.resumedBytes();
    }
    return new Sent(chunks, resumed);
  }

  private static List<Sent> oneByOne(List<Callable<Sent>> tasks) throws IOException {
    List<Sent> parts = new ArrayList<>();
    for (Callable<Sent> task : tasks) {
      try {
        parts.add(task.call());
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("Sending throws nothing else", e);
      }
    }
    return parts;
  }

  private List<Sent> together(List<Callable<Sent>> tasks, ExecutorService executor)
      throws IOException {
    List<Future<Sent>> parts = new ArrayList<>();
    tasks.forEach(task -> parts.add(executor.submit(task)));
    List<Sent> arrived = new ArrayList<>();
    IOException failure = null;
    for (Future<Sent> part : parts) {
      try {
        arrived.add(Uploader.await(part));
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          parts.forEach(unlessDone -> unlessDone.cancel(true));
          throw e;
        }
        // The others stop at once, and delete what they have begun; the first to fail says why.
        brokenOff = true;
        failure = failure == null || failure instanceof BrokenOffException ? e : failure;
      } catch (RuntimeException e) {
        brokenOff = true;
        throw e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return arrived;
  }

  /** Another part was not sent. */
  private static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenOffException() {
      super("Broken off, as another part was not sent");
    }
  }

  /** Whether an upload got as far as to join its parts. */
  private boolean isJoined() throws IOException {
    return plan.parts().size() > 1 && lengthOf(part(0)) == plan.length();
  }

  private Sent send(int number, boolean joined) throws IOException {
    UploadPlan.Part part = plan.parts().get(number);
    Path file = part(number);
    if (brokenOff) {
      throw new BrokenOffException();
    }
    if (joined || lengthOf(file) == part.length()) {
      return new Sent(copy(part, OutputStream.nullOutputStream(), Optional.empty()), part.length());
    }
    Path temporary = new Path(directory, file.getName() + "." + UUID.randomUUID() + ".tmp");
    try {
      List<Chunk> chunks = write(part, temporary);
      if (lengthOf(temporary) != part.length()) {
        throw new IOException(temporary + " is not as long as what was written to it");
      }
      name(temporary, file, part);
      return new Sent(chunks, 0);
    } catch (IOException | RuntimeException e) {
      brokenOff = true;
      // An interrupted thread could not ask the NameNode for anything.
      boolean interrupted = Thread.interrupted();
      try {
        fs.delete(temporary, false);
      } catch (IOException | RuntimeException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
  }

  /**
   * Gives a part its name. Another upload of the same file may have been quicker, and its first
   * part may already have become the whole file, which must not be replaced by a part.
   */
  private void name(Path temporary, Path file, UploadPlan.Part part) throws IOException {
    boolean isOnHdfs = "hdfs".equals(fs.getUri().getScheme());
    if (isOnHdfs && fs.rename(temporary, file)) {
      return;
    }
    long there = isOnHdfs ? lengthOf(file) : -1;
    if (there == part.length() || there == plan.length()) {
      fs.delete(temporary, false);
    } else {
      FileReplacement.rename(fs, temporary, file);
    }
  }

  private List<Chunk> write(UploadPlan.Part part, Path file) throws IOException {
    FSDataOutputStream out = fs.create(file, false);
    List<Chunk> chunks;
    try {
      boolean endsBlocks =
          out.getWrappedStream() instanceof DFSOutputStream
              && !(out.getWrappedStream() instanceof DFSStripedOutputStream);
      chunks =
          copy(
              part,
              out,
              endsBlocks
                  ? Optional.of((DFSOutputStream) out.getWrappedStream())
                  : Optional.empty());
    } catch (IOException | RuntimeException e) {
      try {
        out.close();
      } catch (IOException again) {
        // HDFS throws the very exception that writing threw, which try-with-resources can't take.
        if (again != e) {
          e.addSuppressed(again);
        }
      }
      throw e;
    }
    out.close();
    return chunks;
  }

  /**
   * Copies a part and digests what it copies.
   *
   * @param blocks the stream below {@code out}, if it can end blocks
   */
  private List<Chunk> copy(UploadPlan.Part part, OutputStream out, Optional<DFSOutputStream> blocks)
      throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    Optional<FrameScan> scan = plan.cuts().scan(part.from());
    Iterator<Long> blockEnds = plan.blockEndsOf(part).iterator();
    long blockEnd = blockEnds.hasNext() ? blockEnds.next() : -1;
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = source.open(part.from())) {
      long at = part.from();
      for (long cut : plan.cutsOf(part)) {
        long start = at;
        MessageDigest sha256 = sha256();
        while (at < cut) {
          if (brokenOff) {
            throw new BrokenOffException();
          }
          if (Thread.interrupted()) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted in uploading");
          }
          int count = in.read(buffer, 0, (int) Math.min(buffer.length, cut - at));
          if (count < 0) {
            throw new SourceChangedException("The file has become shorter than " + cut + " bytes");
          }
          out.write(buffer, 0, count);
          if (scan.isPresent()) {
            scan.get().accept(buffer, 0, count);
          }
          sha256.update(buffer, 0, count);
          sent.accept(count);
          at += count;
        }
        boolean isHeader = start == 0 && scan.isPresent();
        chunks.add(isHeader ? scan.get().header() : new Chunk(start, cut - start, sha256.digest()));
        if (at == blockEnd) {
          if (blocks.isPresent()) {
            out.flush();
            StockOutputStream.endBlock(blocks.get());
          }
          blockEnd = blockEnds.hasNext() ? blockEnds.next() : -1;
        }
      }
    }
    return chunks;
  }

  /**
   * What the file has become.
   *
   * @param version before it got its name; empty where renaming changes the version
   */
  record Joined(FileStatus status, Optional<FileVersion> version) {}

  /**
   * Makes the target of the parts, all of which have been sent.
   *
   * @throws JoinRefusedException if the parts must not be joined; the target is then as it was
   * @throws IOException if it cannot be made; the target is then as it was, unless its file system
   *     does not rename over a file: then it may be gone, and its content be in the first part
   */
  Joined join() throws IOException {
    Path first = part(0);
    if (plan.parts().size() > 1 && !isJoined()) {
      Path[] others = new Path[plan.parts().size() - 1];
      for (int i = 0; i < others.length; i++) {
        others[i] = part(i + 1);
      }
      try {
        fs.concat(first, others);
      } catch (RemoteException e) {
        throw JoinRefusedException.isRefusal(e) ? new JoinRefusedException(e) : e;
      }
    }
    long length = lengthOf(first);
    if (length != plan.length()) {
      throw new IOException(
          first + " has " + length + " bytes, not the " + plan.length() + " of the file");
    }
    // Who replaces the target from now on gives it another version.
    boolean hdfs = "hdfs".equals(fs.getUri().getScheme());
    Optional<FileVersion> version =
        hdfs ? Optional.of(FileVersion.observe(fs, first)) : Optional.empty();
    FileReplacement.rename(fs, first, target);
    delete();
    return new Joined(fs.getFileStatus(target), version);
  }

  /** The NameNode will not join these parts, however often it is asked. */
  static final class JoinRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What {@code FSDirConcatOp} of Hadoop 3.5.0 says of files that it does not join. */
    private static final Set<String> REFUSALS =
        Set.of(
            HadoopIllegalArgumentException.class.getName(),
            "org.apache.hadoop.hdfs.protocol.SnapshotException",
            UnsupportedOperationException.class.getName());

    JoinRefusedException(IOException cause) {
      // The rest of the message is where in the NameNode it was thrown.
      super(cause.getMessage().lines().findFirst().orElse(""), cause);
    }

    static boolean isRefusal(RemoteException e) {
      return REFUSALS.contains(e.getClassName());
    }
  }

  private void deleteIfEmpty() throws IOException {
    if (lengthOf(directory) >= 0 && fs.listStatus(directory).length == 0) {
      fs.delete(directory, false);
    }
  }

  /** Where parts gather. */
  Path directory() {
    return directory;
  }

  /** Deletes what has arrived. */
  void delete() throws IOException {
    fs.delete(directory, true);
  }

  private Path part(int number) {
    return new Path(directory, String.format(Locale.ROOT, "part-%05d", number));
  }

  /** Length of a file in bytes; -1 if there is none. */
  private long lengthOf(Path file) throws IOException {
    try {
      return fs.getFileStatus(file).getLen();
    } catch (FileNotFoundException e) {
      return -1;
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
