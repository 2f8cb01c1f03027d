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
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.freshet.mapreduce.submit.JobRewrite;

/**
 * Stands in for the job's mapper in a delta job of the new API: per chunk a fresh user mapper, a
 * fresh record reader and configuration, counters of its own, and an output leaf of its own. The
 * user mapper sees the chunk as its split and its own settings in the configuration.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class BatchMapper extends Mapper {
  @Override
  public void run(Context outer) throws IOException, InterruptedException {
    BatchRecordReader reader = BatchRecordReader.of(outer);
    LeafCollector collector = LeafCollector.of(outer.getTaskAttemptID().toString());
    Counter bytesRead = outer.getCounter(FileInputFormatCounter.BYTES_READ);
    collector.batch(reader.batch());
    try {
      for (Batch.Chunk chunk : reader.batch().chunks()) {
        JobConf conf = JobRewrite.userView(outer.getConfiguration());
        ChunkCounters counters = new ChunkCounters(collector.reporter());
        collector.begin(chunk, counters, conf);
        Context context =
            ChunkMapping.context(
                conf,
                outer.getTaskAttemptID(),
                new ChunkView(outer, reader),
                new LeafWriter(outer),
                counters,
                outer.getOutputCommitter(),
                (InputSplit) chunk.split());
        reader.open(chunk, context, bytesRead);
        ChunkMapping.newMapper(conf).run(context);
        reader.closeChunk();
        collector.end();
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("can't load a class of the job: " + e.getMessage(), e);
    }
  }

  /** The records of the open chunk, by way of stock MapTask's counting reader. */
  private static final class ChunkView extends RecordReader {
    private final Context outer;
    private final BatchRecordReader reader;

    ChunkView(Context outer, BatchRecordReader reader) {
      this.outer = outer;
      this.reader = reader;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {}

    @Override
    public boolean nextKeyValue() throws IOException, InterruptedException {
      return outer.nextKeyValue();
    }

    @Override
    public Object getCurrentKey() throws IOException, InterruptedException {
      return outer.getCurrentKey();
    }

    @Override
    public Object getCurrentValue() throws IOException, InterruptedException {
      return outer.getCurrentValue();
    }

    @Override
    public float getProgress() throws IOException, InterruptedException {
      return reader.getProgress();
    }

    @Override
    public void close() {}
  }

  /** Writes by way of stock MapTask, which partitions the records. */
  private static final class LeafWriter extends RecordWriter {
    private final Context outer;

    LeafWriter(Context outer) {
      this.outer = outer;
    }

    @Override
    public void write(Object key, Object value) throws IOException, InterruptedException {
      outer.write(key, value);
    }

    @Override
    public void close(TaskAttemptContext context) {}
  }
}
