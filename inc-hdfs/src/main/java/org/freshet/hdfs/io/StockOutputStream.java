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
import java.io.InterruptedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.Optional;
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
  private static final Method FLUSH_OR_SYNC = method("flushOrSync", boolean.class, EnumSet.class);
  private static final Method GET_BLOCK = method("getBlock");
  private static final Field BUFFERS = field("byteArrayManager");

  private StockOutputStream() {}

  /**
   * Ends the block behind what has been written. Does not wait for the DataNodes to have it, as a
   * stock stream does not at the end of a block.
   *
   * <p>The public {@code hsync(END_BLOCK)} waits, and makes each DataNode force the whole block to
   * disk. So that is for when {@code flushOrSync} can't be called.
   */
  static void endBlock(DFSOutputStream out) throws IOException {
    if (FLUSH_OR_SYNC == null) {
      out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
      return;
    }
    boolean interrupted = Thread.interrupted();
    boolean waits = takesBuffersFromPool(out);
    // flushOrSync queues the packet that ends the block, and waits then. For a thread that is
    // interrupted it does not wait, does not tell the NameNode, nor take the stream for one that is
    // flushed: all as at the end of a stock block. It must wait where it takes buffers from a pool
    // of limited size, and fails if it can't.
    if (!waits) {
      Thread.currentThread().interrupt();
    }
    try {
      call(FLUSH_OR_SYNC, out, false, EnumSet.of(SyncFlag.END_BLOCK));
    } catch (InterruptedIOException e) {
      // As intended; or somebody wants the thread to stop waiting, which it has.
      interrupted |= waits;
    } finally {
      Thread.interrupted();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Also true if that can't be told. */
  private static boolean takesBuffersFromPool(DFSOutputStream out) {
    try {
      return BUFFERS == null
          || !BUFFERS.get(out).getClass().getSimpleName().equals("NewByteArrayWithoutLimit");
    } catch (IllegalAccessException e) {
      return true;
    }
  }

  /** Whether {@link #endBlock} leaves it to the DataNodes when to force blocks to disk. */
  static boolean endsBlocksWithoutSync() {
    return FLUSH_OR_SYNC != null;
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

  private static Method method(String name, Class<?>... parameters) {
    try {
      Method method = DFSOutputStream.class.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return method;
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.info("Freshet: this Hadoop's DFSOutputStream has no {} to be called: {}", name, e);
      return null;
    }
  }

  private static Field field(String name) {
    try {
      Field field = DFSOutputStream.class.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.info("Freshet: this Hadoop's DFSOutputStream has no {} to be seen: {}", name, e);
      return null;
    }
  }

  private static Object call(Method method, DFSOutputStream out, Object... arguments)
      throws IOException {
    try {
      return method.invoke(out, arguments);
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
