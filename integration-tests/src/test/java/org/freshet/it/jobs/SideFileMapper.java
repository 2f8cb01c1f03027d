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
package org.freshet.it.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.StringTokenizer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Counts the words that are not in the job's first cache file. */
public final class SideFileMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private final Set<String> stopWords = new HashSet<>();

  @Override
  protected void setup(Context context) throws IOException {
    Path file = new Path(context.getCacheFiles()[0]);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                file.getFileSystem(context.getConfiguration()).open(file),
                StandardCharsets.UTF_8))) {
      lines.lines().forEach(stopWords::add);
    }
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    StringTokenizer words = new StringTokenizer(line.toString());
    while (words.hasMoreTokens()) {
      String word = words.nextToken();
      if (!stopWords.contains(word)) {
        context.write(new Text(word), new IntWritable(1));
      }
    }
  }
}
