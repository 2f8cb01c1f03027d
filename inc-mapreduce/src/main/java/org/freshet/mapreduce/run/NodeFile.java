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
package org.freshet.mapreduce.run;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.slider.Digest;

/**
 * A task's local file of node runs, appended one after the other. A run can be read as soon as it
 * is written. Not thread-safe.
 */
public final class NodeFile<K, V> implements Closeable {
  /** Fills a run through a stock IFile writer. */
  @FunctionalInterface
  public interface Filler<K, V> {
    void fill(IFile.Writer<K, V> writer)
        throws IOException, InterruptedException, ClassNotFoundException;
  }

  private final JobConf job;
  private final CompressionCodec codec;
  private final FileSystem fs;
  private final Path file;
  private FSDataOutputStream out;

  /**
   * @param fs a local file system without checksum files: runs carry their own
   */
  public NodeFile(JobConf job, CompressionCodec codec, FileSystem fs, Path file) {
    this.job = job;
    this.codec = codec;
    this.fs = fs;
    this.file = file;
  }

  /** Appends one run. */
  @SuppressWarnings("unchecked")
  public Run append(Filler<K, V> filler)
      throws IOException, InterruptedException, ClassNotFoundException {
    long start = begin();
    MessageDigest sha = Digest.newSha256();
    // IFile.Writer finishes, but does not close, a stream that it does not own.
    FSDataOutputStream digesting = new FSDataOutputStream(new DigestOutputStream(out, sha), null);
    IFile.Writer<K, V> writer =
        new IFile.Writer<>(
            job,
            digesting,
            (Class<K>) job.getMapOutputKeyClass(),
            (Class<V>) job.getMapOutputValueClass(),
            codec,
            null);
    filler.fill(writer);
    writer.close();
    digesting.flush();
    out.flush();
    return new Run.InFile(
        Digest.finish(sha), fs, file, start, out.getPos() - start, writer.getRawLength());
  }

  /** Appends a run as it is, so that it need not be held in memory any longer. */
  public Run copy(Run run) throws IOException {
    long start = begin();
    try (InputStream in = run.open()) {
      IOUtils.copyBytes(in, out, run.storedLength(), false);
    }
    out.flush();
    return new Run.InFile(run.content(), fs, file, start, run.storedLength(), run.rawLength());
  }

  /** Where the next run begins. */
  private long begin() throws IOException {
    if (out == null) {
      out = fs.create(file, true);
    }
    return out.getPos();
  }

  /** Ends writing; the runs stay readable. */
  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }

  /** Deletes the file. */
  public void delete() throws IOException {
    close();
    fs.delete(file, false);
  }
}
