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
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/** The old API's twin of {@link BatchRecordReader}. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class OldBatchRecordReader implements RecordReader {
  private static final Map<String, OldBatchRecordReader> LIVE = new ConcurrentHashMap<>();

  private final OldBatchSplit split;
  private final String attempt;
  private RecordReader current;
  private long doneBytes;
  private long currentBytes;

  OldBatchRecordReader(OldBatchSplit split, JobConf conf) {
    this.split = split;
    attempt = conf.get(org.apache.hadoop.mapreduce.MRJobConfig.TASK_ATTEMPT_ID);
    LIVE.put(attempt, this);
  }

  static OldBatchRecordReader of(String attempt) {
    OldBatchRecordReader reader = LIVE.get(attempt);
    if (reader == null) {
      throw new IllegalStateException("no batch reader for " + attempt);
    }
    return reader;
  }

  Batch batch() {
    return split.batch();
  }

  /**
   * Opens a chunk with the original input format.
   *
   * @param conf as the user made it
   */
  void open(Batch.Chunk chunk, JobConf conf, Reporter reporter, Counters.Counter bytesRead)
      throws IOException {
    long before = BytesRead.of(split.getPath());
    current = conf.getInputFormat().getRecordReader((InputSplit) chunk.split(), conf, reporter);
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
  public boolean next(Object key, Object value) throws IOException {
    return current.next(key, value);
  }

  @Override
  public Object createKey() {
    return current.createKey();
  }

  @Override
  public Object createValue() {
    return current.createValue();
  }

  /** Position within the open chunk's file, as the original reader gives it. */
  long chunkPosition() throws IOException {
    return current.getPos();
  }

  @Override
  public long getPos() throws IOException {
    return doneBytes;
  }

  @Override
  public float getProgress() throws IOException {
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
