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

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.index.FileVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches that the files of a batch are, before and after a chunk is read, the versions the plan
 * was made for. If not, the job goes on with what it read, as stock would, but nothing of it is
 * kept.
 */
final class SourceCheck {
  private static final Logger LOG = LoggerFactory.getLogger(SourceCheck.class);

  private final Configuration conf;
  private final List<Batch.Source> files;
  private boolean changed;

  SourceCheck(Configuration conf, List<Batch.Source> files) {
    this.conf = conf;
    this.files = files;
  }

  void before(Batch.Chunk chunk) {
    check(chunk);
  }

  void after(Batch.Chunk chunk) {
    check(chunk);
  }

  boolean changed() {
    return changed;
  }

  private void check(Batch.Chunk chunk) {
    for (int index : chunk.files()) {
      Batch.Source source = files.get(index);
      String now;
      try {
        Path path = new Path(source.path());
        FileSystem fs = path.getFileSystem(conf);
        FileVersion version = FileVersion.observe(fs, path);
        // What a writer has flushed can be read before length or time say so.
        now = version.isBeingWritten() ? version + ", being written" : version.toString();
      } catch (IOException e) {
        now = e.toString();
      }
      if (!now.equals(source.version()) && !changed) {
        changed = true;
        LOG.warn(
            "{} changed while the job read it (planned {}, now {}): this run is not memoized",
            source.path(),
            source.version(),
            now);
      }
    }
  }
}
