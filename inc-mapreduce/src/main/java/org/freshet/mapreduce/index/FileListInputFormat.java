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

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Divides a list of files among map tasks: files of one host together, up to so many bytes and so
 * many files. A record is the path of a file. Public because the framework makes it.
 */
public final class FileListInputFormat extends InputFormat<Text, NullWritable> {
  /** Where the list lies. */
  static final String LIST = "freshet.index.job.list";

  /** Bytes of files for one map: some seconds of reading. */
  static final String SPLIT_BYTES = "freshet.index.job.split.bytes";

  private static final long DEFAULT_SPLIT_BYTES = 1L << 30;

  /** Opening a file costs more than reading a small one. */
  private static final int MOST_FILES = 10_000;

  /** Files for one map that is not full yet. */
  private static final class Bundle {
    private final List<Path> files = new ArrayList<>();
    private long bytes;
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    long most = conf.getLong(SPLIT_BYTES, DEFAULT_SPLIT_BYTES);
    Path list = new Path(conf.get(LIST));
    List<InputSplit> splits = new ArrayList<>();
    Map<String, Bundle> bundles = new LinkedHashMap<>();
    try (FSDataInputStream in = list.getFileSystem(conf).open(list)) {
      for (ListedFile file = ListedFile.read(in); file != null; file = ListedFile.read(in)) {
        if (file.bytes() >= most) {
          splits.add(new FileListSplit(List.of(file.path()), file.bytes(), file.hosts()));
          continue;
        }
        String host = file.hosts().length == 0 ? "" : file.hosts()[0];
        Bundle bundle = bundles.computeIfAbsent(host, h -> new Bundle());
        bundle.files.add(file.path());
        bundle.bytes += file.bytes();
        if (bundle.bytes >= most || bundle.files.size() >= MOST_FILES) {
          splits.add(split(host, bundle));
          bundles.remove(host);
        }
      }
    }
    bundles.forEach((host, bundle) -> splits.add(split(host, bundle)));
    return splits;
  }

  private static FileListSplit split(String host, Bundle bundle) {
    String[] hosts = host.isEmpty() ? new String[0] : new String[] {host};
    return new FileListSplit(bundle.files, bundle.bytes, hosts);
  }

  @Override
  public RecordReader<Text, NullWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Reader();
  }

  private static final class Reader extends RecordReader<Text, NullWritable> {
    private List<Path> files = List.of();
    private int next;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      files = ((FileListSplit) split).files();
    }

    @Override
    public boolean nextKeyValue() {
      return next++ < files.size();
    }

    @Override
    public Text getCurrentKey() {
      return new Text(files.get(next - 1).toString());
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
    }

    @Override
    public float getProgress() {
      return files.isEmpty() ? 1 : Math.min(1, next / (float) files.size());
    }

    @Override
    public void close() {}
  }
}
