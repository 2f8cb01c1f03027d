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
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.util.Progressable;

/**
 * A stock HDFS client whose wrapped streams chunk what is written to them. Every stream that {@code
 * DistributedFileSystem} gives to write to is wrapped by {@link #createWrappedOutputStream}; the
 * other methods remember what that needs to know. Safe for use by several threads.
 */
class ChunkingClient extends DFSClient {
  /** Streams of new files that are not yet wrapped. */
  private final Map<DFSOutputStream, Created> created =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** The append that a thread is at. */
  private final ThreadLocal<Append> append = new ThreadLocal<>();

  private final OpenStreams streams;

  /**
   * @param streams of this client's file system
   */
  ChunkingClient(
      URI nameNode, Configuration conf, FileSystem.Statistics statistics, OpenStreams streams)
      throws IOException {
    super(nameNode, conf, statistics);
    this.streams = streams;
  }

  /** How a new file was asked for. */
  private record Created(String path, long blockSize) {}

  /** How a file was asked for to append to it, and what it held. */
  private record Append(String path, EnumSet<CreateFlag> flags, Optional<AppendStart> start) {}

  @Override
  public DFSOutputStream create(
      String src,
      FsPermission permission,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      Progressable progress,
      int buffersize,
      ChecksumOpt checksumOpt,
      InetSocketAddress[] favoredNodes,
      String ecPolicyName,
      String storagePolicy)
      throws IOException {
    DFSOutputStream out =
        super.create(
            src,
            permission,
            flag,
            createParent,
            replication,
            blockSize,
            progress,
            buffersize,
            checksumOpt,
            favoredNodes,
            ecPolicyName,
            storagePolicy);
    created.put(out, new Created(src, blockSize));
    return out;
  }

  @Override
  public DFSOutputStream primitiveCreate(
      String src,
      FsPermission absPermission,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      Progressable progress,
      int buffersize,
      ChecksumOpt checksumOpt)
      throws IOException {
    DFSOutputStream out =
        super.primitiveCreate(
            src,
            absPermission,
            flag,
            createParent,
            replication,
            blockSize,
            progress,
            buffersize,
            checksumOpt);
    // It appends, if that is asked for and there is such a file.
    if (flag == null || !flag.contains(CreateFlag.APPEND)) {
      created.put(out, new Created(src, blockSize));
    }
    return out;
  }

  @Override
  public HdfsDataOutputStream append(
      String src,
      int buffersize,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      FileSystem.Statistics statistics)
      throws IOException {
    append.set(new Append(src, flag, streams.beforeAppend(this, src)));
    try {
      return super.append(src, buffersize, flag, progress, statistics);
    } finally {
      append.remove();
    }
  }

  @Override
  public HdfsDataOutputStream append(
      String src,
      int buffersize,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      FileSystem.Statistics statistics,
      InetSocketAddress[] favoredNodes)
      throws IOException {
    append.set(new Append(src, flag, streams.beforeAppend(this, src)));
    try {
      return super.append(src, buffersize, flag, progress, statistics, favoredNodes);
    } finally {
      append.remove();
    }
  }

  @Override
  public HdfsDataOutputStream createWrappedOutputStream(
      DFSOutputStream out, FileSystem.Statistics statistics, long startPos) throws IOException {
    HdfsDataOutputStream stock = super.createWrappedOutputStream(out, statistics, startPos);
    Created file = created.remove(out);
    if (file != null) {
      return streams.created(stock, out, statistics, this, file.path(), file.blockSize());
    }
    Append appended = append.get();
    if (appended != null) {
      return streams.appended(
          stock, out, statistics, this, appended.path(), appended.flags(), appended.start());
    }
    return stock;
  }

  @Override
  public void closeOutputStreams(boolean abort) {
    if (!abort) {
      streams.closeAll();
    }
    super.closeOutputStreams(abort);
  }

  @Override
  public void close() throws IOException {
    // Not under this client's lock: closing a stream may wait for a thread that needs it.
    if (isClientRunning()) {
      streams.closeAll();
    }
    super.close();
  }
}
