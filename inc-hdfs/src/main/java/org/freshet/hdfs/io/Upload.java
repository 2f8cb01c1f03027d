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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.hdfs.format.NotCuttableException;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.SourceChangedException;

/**
 * One file that is copied.
 *
 * @param source a local file
 * @param local the file system it is on
 * @param version that it had before it was looked at
 * @param bytes its bytes, as many as it had when it was cut
 * @param cuts where its chunks end
 * @param fs of the target
 * @param sent is told of bytes as they are sent, or found to be there; by several threads
 */
record Upload(
    Path source,
    FileSystem local,
    FileVersion version,
    ByteSource bytes,
    UploadCuts cuts,
    FileSystem fs,
    org.apache.hadoop.fs.Path target,
    WriteSettings settings,
    LongConsumer sent) {
  /** A file is sent in parts of about this many blocks. */
  private static final int PART_BLOCKS = 4;

  /**
   * What the target has become.
   *
   * @param whyOneStream why it was not sent in parts though it is long enough; a clause for people
   */
  record Done(
      boolean startsWithBom,
      UploadParts.Sent sent,
      UploadParts.Joined joined,
      Optional<String> whyOneStream) {}

  /**
   * Sends the file, in parts if it is long enough and its parts can be joined.
   *
   * @param executor sends several parts at a time; empty for this thread alone
   * @throws IOException if it can't be sent; the target is then as it was
   */
  Done run(Optional<ExecutorService> executor) throws IOException {
    long length = bytes.length();
    long partBytes = PART_BLOCKS * fs.getDefaultBlockSize(target);
    Optional<String> whyOneStream = length <= partBytes ? Optional.empty() : whyNotJoined();
    if (whyOneStream.isEmpty()) {
      try {
        return inParts(partBytes, executor, Optional.empty());
      } catch (UploadParts.JoinRefusedException e) {
        whyOneStream = Optional.of("the NameNode does not join its parts: " + e.getMessage());
      }
    }
    return inParts(Long.MAX_VALUE, executor, whyOneStream);
  }

  /**
   * Why parts of the target can't be joined, as far as the directory that they would be in tells.
   */
  private Optional<String> whyNotJoined() throws IOException {
    if (!fs.hasPathCapability(target, CommonPathCapabilities.FS_CONCAT)) {
      return Optional.of("its file system does not join files");
    }
    return fs.getFileStatus(target.getParent()).isEncrypted()
        ? Optional.of("HDFS does not join files in an encryption zone")
        : Optional.empty();
  }

  private Done inParts(
      long partBytes, Optional<ExecutorService> executor, Optional<String> whyOneStream)
      throws IOException {
    UploadPlan plan = UploadPlan.of(source, bytes.length(), cuts, blockCuts(), partBytes);
    UploadParts parts = new UploadParts(fs, target, identity(plan), plan, bytes, sent);
    try {
      UploadParts.Sent arrived = parts.send(executor);
      org.apache.hadoop.fs.Path read = new org.apache.hadoop.fs.Path(source.toUri());
      if (!FileVersion.observe(local, read).equals(version)) {
        throw changed(parts, null);
      }
      return new Done(plan.startsWithBom(), arrived, parts.join(), whyOneStream);
    } catch (NotCuttableException | SourceChangedException e) {
      // It was cut as a container file, and is none any more; or it is shorter than it was. No
      // later upload would ask for parts of that version.
      throw changed(parts, e);
    } catch (UploadParts.JoinRefusedException e) {
      parts.delete();
      throw e;
    } catch (IOException e) {
      throw isOutOfSpace(e) ? outOfSpace(parts, e) : e;
    }
  }

  private IOException changed(UploadParts parts, IOException cause) throws IOException {
    parts.delete();
    return new IOException(source + " changed while it was read; put it again", cause);
  }

  private Optional<BlockCuts> blockCuts() throws IOException {
    long blockSize = fs.getDefaultBlockSize(target);
    boolean ends =
        settings.blockCuts()
            && fs.hasPathCapability(target, CommonPathCapabilities.FS_CONCAT)
            && BlockCuts.suit(settings.chunker(), blockSize);
    return ends
        ? Optional.of(
            BlockCuts.forNewFile(settings.chunker(), blockSize)
                .upTo(BlockCuts.mostBlocks(fs.getConf())))
        : Optional.empty();
  }

  /** Names an upload: what is left of one that was broken off is found by it. */
  private String identity(UploadPlan plan) {
    String text =
        source.toAbsolutePath() + "\n" + version.id() + "\n" + target + "\n" + plan.parts();
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** Whether a quota is exceeded. */
  private static boolean isOutOfSpace(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ClusterStorageCapacityExceededException) {
        return true;
      }
    }
    return false;
  }

  private IOException outOfSpace(UploadParts parts, IOException cause) {
    return new IOException(
        String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
            + ". Parts that arrived, if any, are kept in "
            + parts.directory()
            + ": make room or have the quota raised and put the file again, or delete them",
        cause);
  }
}
