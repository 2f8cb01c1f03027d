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
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.freshet.mapreduce.submit.JobRewrite;

/**
 * Stands in for the job's MapRunnable in a delta job of the old API: the job's own runner (and by
 * it a new mapper, from configure to close) once for each chunk.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class BatchMapRunner implements MapRunnable {
  private JobConf job;

  @Override
  public void configure(JobConf job) {
    this.job = job;
  }

  @Override
  public void run(RecordReader input, OutputCollector output, Reporter reporter)
      throws IOException {
    String attempt = job.get(MRJobConfig.TASK_ATTEMPT_ID);
    OldBatchRecordReader reader = OldBatchRecordReader.of(attempt);
    LeafCollector collector = LeafCollector.of(attempt);
    collector.batch(reader.batch());
    try {
      for (Batch.Chunk chunk : reader.batch().chunks()) {
        JobConf conf = JobRewrite.userView(job);
        ChunkMapping.describe((InputSplit) chunk.split(), conf);
        ChunkCounters counters = new ChunkCounters(reporter);
        collector.begin(chunk, counters, conf);
        Reporter chunkReporter = counters.oldApi((InputSplit) chunk.split());
        reader.open(
            chunk, conf, chunkReporter, reporter.getCounter(FileInputFormatCounter.BYTES_READ));
        ChunkMapping.newRunner(conf).run(new ChunkView(input, reader), output, chunkReporter);
        reader.closeChunk();
        collector.end();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while sorting a chunk's output", e);
    } catch (ClassNotFoundException e) {
      throw new IOException("can't load a class of the job: " + e.getMessage(), e);
    }
  }

  /** The records of the open chunk, by way of stock MapTask's counting reader, which stays open. */
  private record ChunkView(RecordReader input, OldBatchRecordReader reader)
      implements RecordReader {
    @Override
    public boolean next(Object key, Object value) throws IOException {
      return input.next(key, value);
    }

    @Override
    public Object createKey() {
      return input.createKey();
    }

    @Override
    public Object createValue() {
      return input.createValue();
    }

    @Override
    public long getPos() throws IOException {
      return reader.chunkPosition();
    }

    @Override
    public void close() {}

    @Override
    public float getProgress() throws IOException {
      return reader.getProgress();
    }
  }
}
