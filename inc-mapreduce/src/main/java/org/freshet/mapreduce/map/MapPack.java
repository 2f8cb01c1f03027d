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
package org.freshet.mapreduce.map;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Progressable;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunDigests;
import org.freshet.memo.PackWriter;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's pack in the memo store. Digests are computed whether or not the store can be written; a
 * failure is logged once, and the pack then counts as absent.
 */
public final class MapPack implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MapPack.class);
  private static final int COPY_BUFFER = 128 << 10;

  /**
   * What became of a run.
   *
   * @param content the digest of its bytes
   * @param ref where the run is, or null if the pack could not take it
   */
  public record Stored(Digest content, RunRef ref) {
    /** Where the run begins in the pack; 0 where it is absent. */
    public long offset() {
      return ref == null ? 0 : ref.offset();
    }
  }

  private final String name;
  private final Progressable progress;
  private final byte[] buffer = new byte[COPY_BUFFER];
  private PackWriter writer;

  private MapPack(String name, PackWriter writer, Progressable progress) {
    this.name = name;
    this.progress = progress;
    this.writer = writer;
  }

  /**
   * Opens the pack of a task attempt.
   *
   * @param progress told as long as runs are stored
   */
  public static MapPack create(Configuration conf, String attempt, Progressable progress) {
    String name = RunPlaces.packName(conf, attempt);
    try {
      Path file = new Path(RunPlaces.lineageDir(conf), name);
      return new MapPack(
          name,
          PackWriter.create(file.getFileSystem(conf), file, RunPlaces.replication(conf)),
          progress);
    } catch (IOException | RuntimeException e) {
      LOG.warn("The memo store can't be written, this run is not memoized: {}", e.toString());
      return new MapPack(name, null, progress);
    }
  }

  /** Digests a run and, while the pack works, stores it. */
  public Stored store(Run run) throws IOException {
    if (writer != null) {
      try {
        writer.begin();
        try (InputStream in = run.open()) {
          for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            writer.write(buffer, 0, n);
            progress.progress();
          }
        }
        RunRef ref = writer.end(name, run.rawLength());
        return new Stored(ref.content(), ref);
      } catch (IOException | RuntimeException e) {
        fail(e);
      }
    }
    return new Stored(RunDigests.of(run), null);
  }

  private void fail(Exception e) {
    LOG.warn("The memo store can't be written, this run is not memoized: {}", e.toString());
    writer.abort();
    writer = null;
  }

  /** Completes the pack; returns its name, or an empty string if the store could not take it. */
  public String finish() {
    if (writer == null) {
      return "";
    }
    try {
      writer.close();
      writer = null;
      return name;
    } catch (IOException | RuntimeException e) {
      fail(e);
      return "";
    }
  }

  /** Abandons a pack that was not finished. */
  @Override
  public void close() {
    if (writer != null) {
      writer.abort();
      writer = null;
    }
  }
}
