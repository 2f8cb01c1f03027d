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
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.util.Progressable;

/**
 * {@link IncrementalFileSystem} for users of {@code FileContext}. To be named in {@code
 * fs.AbstractFileSystem.hdfs.impl}.
 */
public class IncrementalHdfs extends FilterFs {
  private static final String IMPLEMENTATION = "fs.AbstractFileSystem.hdfs.impl";
  private static final String STOCK = "org.apache.hadoop.fs.Hdfs";

  /** Tells about files, and reads and writes indexes. */
  private final FileSystem files;

  private final OpenStreams streams;

  /**
   * As {@code AbstractFileSystem} calls it.
   *
   * @throws IOException if there is no client for {@code uri}
   */
  public IncrementalHdfs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(AbstractFileSystem.createFileSystem(uri, stock(conf)));
    this.files = FileSystem.get(uri, conf);
    this.streams = new OpenStreams(files, WriteSettings.of(conf));
  }

  private static Configuration stock(Configuration conf) {
    Configuration stock = new Configuration(conf);
    stock.set(IMPLEMENTATION, STOCK);
    return stock;
  }

  @Override
  public FSDataOutputStream createInternal(
      Path f,
      EnumSet<CreateFlag> flag,
      FsPermission absolutePermission,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksumOpt,
      boolean createParent)
      throws IOException {
    String path = getUriPath(f);
    // Stock says what is wrong with null.
    boolean append = flag != null && flag.contains(CreateFlag.APPEND);
    Optional<AppendStart> start =
        append && files instanceof DistributedFileSystem hdfs
            ? streams.beforeAppend(hdfs.getClient(), path)
            : Optional.empty();
    FSDataOutputStream stream =
        super.createInternal(
            f,
            flag,
            absolutePermission,
            bufferSize,
            replication,
            blockSize,
            progress,
            checksumOpt,
            createParent);
    if (!(files instanceof DistributedFileSystem hdfs)
        || !(stream instanceof HdfsDataOutputStream stock)) {
      return stream;
    }
    DFSOutputStream out = dfsStream(stock);
    DFSClient client = hdfs.getClient();
    boolean isNew = !append || start.isEmpty() && out.getInitialLen() == 0;
    return isNew
        ? streams.created(stock, out, getStatistics(), client, path, blockSize)
        : streams.appended(stock, out, getStatistics(), client, path, flag, start);
  }

  private static DFSOutputStream dfsStream(HdfsDataOutputStream stock) {
    OutputStream wrapped = stock.getWrappedStream();
    return (DFSOutputStream)
        (wrapped instanceof CryptoOutputStream cipher ? cipher.getWrappedStream() : wrapped);
  }

  /** FilterFs has it list everything at once. */
  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path f) throws IOException {
    return getMyFs().listStatusIterator(f);
  }
}
