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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * What stock MapTask reads from in a batch: it ends at each chunk's end, and {@link BatchMapper}
 * opens the next chunk. Stock code goes on counting records and bytes.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
final class BatchRecordReader extends RecordReader {
  // Stock MapTask makes the reader and the mapper apart; the attempt's id brings them together.
  private static final Map<String, BatchRecordReader> LIVE = new ConcurrentHashMap<>();

  private BatchSplit split;
  private String attempt;
  private RecordReader current;
  private long doneBytes;
  private long currentBytes;

  static BatchRecordReader of(TaskAttemptContext context) {
    BatchRecordReader reader = LIVE.get(context.getTaskAttemptID().toString());
    if (reader == null) {
      throw new IllegalStateException("no batch reader for " + context.getTaskAttemptID());
    }
    return reader;
  }

  @Override
  public void initialize(InputSplit split, TaskAttemptContext context) {
    this.split = (BatchSplit) split;
    attempt = context.getTaskAttemptID().toString();
    LIVE.put(attempt, this);
  }

  Batch batch() {
    return split.batch();
  }

  /**
   * Opens a chunk with the original input format. Opening may read; that is counted too.
   *
   * @param context with a configuration as the user made it
   */
  void open(Batch.Chunk chunk, TaskAttemptContext context, Counter bytesRead)
      throws IOException, InterruptedException, ClassNotFoundException {
    long before = BytesRead.of(split.getPath());
    InputFormat format =
        ReflectionUtils.newInstance(context.getInputFormatClass(), context.getConfiguration());
    InputSplit chunkSplit = (InputSplit) chunk.split();
    current = format.createRecordReader(chunkSplit, context);
    current.initialize(chunkSplit, context);
    currentBytes = chunk.length();
    bytesRead.increment(BytesRead.of(split.getPath()) - before);
  }

  void closeChunk() throws IOException {
    if (current != null) {
      RecordReader closing = current;
      current = null;
      doneBytes += currentBytes;
      currentBytes = 0;
      closing.close();
    }
  }

  @Override
  public boolean nextKeyValue() throws IOException, InterruptedException {
    return current.nextKeyValue();
  }

  @Override
  public Object getCurrentKey() throws IOException, InterruptedException {
    return current.getCurrentKey();
  }

  @Override
  public Object getCurrentValue() throws IOException, InterruptedException {
    return current.getCurrentValue();
  }

  @Override
  public float getProgress() throws IOException, InterruptedException {
    RecordReader reader = current;
    float bytes = doneBytes + (reader == null ? 0 : reader.getProgress() * currentBytes);
    return Math.min(1f, bytes / Math.max(1, split.getLength()));
  }

  @Override
  public void close() throws IOException {
    LIVE.remove(attempt);
    closeChunk();
  }
}
