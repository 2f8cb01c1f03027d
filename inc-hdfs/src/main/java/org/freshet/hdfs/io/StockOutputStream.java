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
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.fs.FSOutputSummer;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Hadoop's {@code DFSOutputStream} can do but does not show. Proven on Hadoop 3.5.0 by this
 * class's test; where a method is missing, there is a public way that costs more, or an empty
 * answer.
 */
final class StockOutputStream {
  private static final Logger LOG = LoggerFactory.getLogger(StockOutputStream.class);
  private static final Method GET_BLOCK =
      find("last block", () -> method(DFSOutputStream.class, "getBlock"));
  private static final BlockEnd BLOCK_END = find("end of a block", BlockEnd::find);

  private StockOutputStream() {}

  /**
   * Ends the block behind what has been written. Does not wait for the DataNodes to have it, as a
   * stock stream does not at the end of a block.
   *
   * <p>The public {@code hsync(END_BLOCK)} waits, makes each DataNode force the whole block to
   * disk, tells the NameNode, and takes the stream for one that users flush. So that is for when
   * stock's own way can't be gone.
   */
  static void endBlock(DFSOutputStream out) throws IOException {
    if (BLOCK_END == null) {
      out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
    } else {
      BLOCK_END.in(out);
    }
  }

  /**
   * What a stock stream does when a block is full, and when it is closed: it sends what is in its
   * buffers, and an empty packet that says that the block ends.
   */
  private record BlockEnd(
      Method flushBuffer,
      Field currentPacket,
      Method enqueueCurrentPacket,
      Method setCurrentPacketToEmpty,
      Method getStreamer,
      Method getBytesCurBlock,
      Method setBytesCurBlock,
      Field lastFlushOffset) {

    static BlockEnd find() throws ReflectiveOperationException {
      Class<?> stream = DFSOutputStream.class;
      Method getStreamer = method(stream, "getStreamer");
      Class<?> streamer = getStreamer.getReturnType();
      return new BlockEnd(
          method(FSOutputSummer.class, "flushBuffer", boolean.class, boolean.class),
          field("currentPacket"),
          method(stream, "enqueueCurrentPacket"),
          method(stream, "setCurrentPacketToEmpty"),
          getStreamer,
          method(streamer, "getBytesCurBlock"),
          method(streamer, "setBytesCurBlock", long.class),
          field("lastFlushOffset"));
    }

    void in(DFSOutputStream out) throws IOException {
      synchronized (out) {
        call(flushBuffer, out, false, true);
        try {
          if (currentPacket.get(out) != null) {
            call(enqueueCurrentPacket, out);
          }
          Object streamer = call(getStreamer, out);
          if ((long) call(getBytesCurBlock, streamer) > 0) {
            call(setCurrentPacketToEmpty, out);
            call(enqueueCurrentPacket, out);
            call(setBytesCurBlock, streamer, 0L);
            lastFlushOffset.setLong(out, 0);
          }
        } catch (IllegalAccessException e) {
          throw new IOException("Could not end a block of " + out, e);
        }
      }
    }
  }

  /** Whether {@link #endBlock} leaves it to the DataNodes when to force blocks to disk. */
  static boolean endsBlocksWithoutSync() {
    return BLOCK_END != null;
  }

  /** The last block, with the stream's own generation stamp; empty if that can't be told. */
  static Optional<ExtendedBlock> lastBlock(DFSOutputStream out) {
    try {
      return GET_BLOCK == null
          ? Optional.empty()
          : Optional.ofNullable((ExtendedBlock) call(GET_BLOCK, out));
    } catch (IOException e) {
      LOG.debug("Freshet: the last block of {} can't be told", out, e);
      return Optional.empty();
    }
  }

  private static Method method(Class<?> type, String name, Class<?>... parameters)
      throws ReflectiveOperationException {
    Method method = type.getDeclaredMethod(name, parameters);
    method.setAccessible(true);
    return method;
  }

  private static Field field(String name) throws ReflectiveOperationException {
    Field field = DFSOutputStream.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  private interface Finder<T> {
    T find() throws ReflectiveOperationException;
  }

  private static <T> T find(String what, Finder<T> finder) {
    try {
      return finder.find();
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.info("Freshet: this Hadoop's DFSOutputStream shows no {}: {}", what, e.toString());
      return null;
    }
  }

  private static Object call(Method method, Object of, Object... arguments) throws IOException {
    try {
      return method.invoke(of, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException("Could not call " + method, e.getCause());
    } catch (IllegalAccessException e) {
      throw new IOException("Could not call " + method, e);
    }
  }
}
