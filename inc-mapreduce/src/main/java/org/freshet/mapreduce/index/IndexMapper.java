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
package org.freshet.mapreduce.index;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.freshet.hdfs.index.FileIndexer;
import org.freshet.hdfs.index.NoIndex;

/** Indexes the files of its split; puts out those that have no index now, and why. */
public final class IndexMapper extends Mapper<Text, NullWritable, Text, Text> {
  @Override
  public void run(Context context) throws IOException, InterruptedException {
    Configuration conf = context.getConfiguration();
    List<FileStatus> files = new ArrayList<>();
    while (context.nextKeyValue()) {
      Path file = new Path(context.getCurrentKey().toString());
      try {
        files.add(file.getFileSystem(conf).getFileStatus(file));
      } catch (FileNotFoundException e) {
        failed(context, file, "it is gone");
      }
    }
    AtomicLong read = new AtomicLong();
    try (FileIndexer indexer =
        new FileIndexer(
            conf,
            conf.getInt(MRJobConfig.MAP_CPU_VCORES, MRJobConfig.DEFAULT_MAP_CPU_VCORES),
            now -> {
              read.set(now);
              context.progress();
            })) {
      indexer.index(files, outcome -> tell(context, outcome));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    context.getCounter(IndexJob.Counter.BYTES_READ).increment(read.get());
  }

  private static void tell(Context context, FileIndexer.Outcome outcome) {
    Path file = outcome.status().getPath();
    try {
      context.getCounter(IndexJob.Counter.CHUNKS).increment(outcome.chunks());
      if (outcome.error().isPresent()) {
        failed(context, file, outcome.error().get().getMessage());
      } else if (outcome.known()) {
        context.getCounter(IndexJob.Counter.FILES_KNOWN).increment(1);
      } else if (outcome.reason().isEmpty()) {
        context.getCounter(IndexJob.Counter.FILES_INDEXED).increment(1);
      } else if (outcome.reason().get() == NoIndex.EMPTY) {
        context.getCounter(IndexJob.Counter.FILES_EMPTY).increment(1);
      } else {
        failed(context, file, "no index is kept: " + outcome.reason().get().description());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void failed(Context context, Path file, String why) throws IOException {
    try {
      context.getCounter(IndexJob.Counter.FILES_FAILED).increment(1);
      context.write(new Text(file.toString()), new Text(why));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted in writing what could not be indexed", e);
    }
  }
}
