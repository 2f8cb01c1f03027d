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
package org.freshet.mapreduce.reduce;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.IFileInputStream;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunRegion;
import org.freshet.slider.Digest;

/**
 * One map's region for this partition, taken apart into runs as it arrives. Each run is kept as it
 * was fetched, compressed and with its checksum, in memory or, where the stock memory limits say
 * so, in one file.
 */
final class RegionOutput<K, V> extends MapOutput<K, V> {
  private static final int COPY_BUFFER = 64 << 10;

  /** Told when a region has been fetched or given up. */
  interface Owner {
    void committed(RegionOutput<?, ?> region);

    void aborted(RegionOutput<?, ?> region);
  }

  private final Owner owner;
  private final Configuration conf;
  private final FileSystem local;
  private final Path file;
  private RunRegion region;
  private final Map<Digest, Run> runs = new LinkedHashMap<>();

  /**
   * @param file where to put the runs, or null to keep them in memory
   */
  RegionOutput(
      Owner owner, Configuration conf, TaskAttemptID map, long size, FileSystem local, Path file) {
    super(map, size, true);
    this.owner = owner;
    this.conf = conf;
    this.local = local;
    this.file = file;
  }

  /** The region's header, once fetched. */
  RunRegion region() {
    return region;
  }

  /** The shipped runs by id. */
  Map<Digest, Run> runs() {
    return runs;
  }

  boolean inMemory() {
    return file == null;
  }

  @Override
  public void shuffle(
      MapHost host,
      InputStream input,
      long storedLength,
      long rawLength,
      ShuffleClientMetrics metrics,
      Reporter reporter)
      throws IOException {
    region = RunRegion.read(input, storedLength);
    long runBytes = 0;
    if (file == null) {
      for (RunRegion.Entry entry : region.shipped()) {
        byte[] bytes = new byte[Math.toIntExact(entry.storedLength())];
        read(input, entry, bytes, null, metrics, reporter);
        runs.put(
            entry.id(),
            new Run.InMemory(entry.content(), bytes, entry.storedLength(), entry.rawLength()));
        runBytes += entry.storedLength();
      }
    } else {
      byte[] buffer = new byte[COPY_BUFFER];
      try (FSDataOutputStream out = local.create(file, true)) {
        for (RunRegion.Entry entry : region.shipped()) {
          long start = out.getPos();
          read(input, entry, buffer, out, metrics, reporter);
          runs.put(
              entry.id(),
              new Run.InFile(
                  entry.content(), local, file, start, entry.storedLength(), entry.rawLength()));
          runBytes += entry.storedLength();
        }
      }
    }
    metrics.inputBytes(storedLength - runBytes);
  }

  /** Reads one run, checking its IFile checksum on the way. */
  private void read(
      InputStream input,
      RunRegion.Entry entry,
      byte[] buffer,
      OutputStream out,
      ShuffleClientMetrics metrics,
      Reporter reporter)
      throws IOException {
    IFileInputStream checked = new IFileInputStream(input, entry.storedLength(), conf);
    long left = entry.storedLength();
    int at = 0;
    while (left > 0) {
      int n =
          checked.readWithChecksum(
              buffer, at, (int) Math.min(left, out == null ? left : buffer.length));
      if (n < 0) {
        throw new IOException(
            "the output of " + getMapId() + " ends " + left + " bytes before run " + entry.id());
      }
      if (out == null) {
        at += n;
      } else {
        out.write(buffer, 0, n);
      }
      left -= n;
      metrics.inputBytes(n);
      reporter.progress();
    }
  }

  @Override
  public void commit() {
    owner.committed(this);
  }

  @Override
  public void abort() {
    owner.aborted(this);
    runs.clear();
    if (file != null) {
      try {
        local.delete(file, false);
      } catch (IOException e) {
        // the task's directory is swept with the job
      }
    }
  }

  @Override
  public String getDescription() {
    return file == null ? "RUNS IN MEMORY" : "RUNS ON DISK";
  }
}
