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
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;

/**
 * The splits that name ranges of files and nothing else, in both APIs. A split of another class may
 * carry data that a digest of the files does not cover.
 */
public final class SplitKinds {
  /** A range of a file. */
  public record Range(Path path, long start, long length) {}

  private SplitKinds() {}

  /** Whether a split is wholly described by its ranges. */
  public static boolean supported(Object split) {
    Class<?> type = split.getClass();
    return type == org.apache.hadoop.mapreduce.lib.input.FileSplit.class
        || type == org.apache.hadoop.mapreduce.lib.input.CombineFileSplit.class
        || type == org.apache.hadoop.mapred.FileSplit.class
        || type == org.apache.hadoop.mapred.lib.CombineFileSplit.class
        || type == PlainFileSplit.class;
  }

  /** The ranges of a supported split. */
  public static List<Range> ranges(Object split) {
    if (split instanceof org.apache.hadoop.mapreduce.lib.input.FileSplit file) {
      return List.of(new Range(file.getPath(), file.getStart(), file.getLength()));
    }
    if (split instanceof org.apache.hadoop.mapred.FileSplit file) {
      return List.of(new Range(file.getPath(), file.getStart(), file.getLength()));
    }
    if (split instanceof org.apache.hadoop.mapreduce.lib.input.CombineFileSplit combined) {
      Range[] ranges = new Range[combined.getNumPaths()];
      for (int i = 0; i < ranges.length; i++) {
        ranges[i] = new Range(combined.getPath(i), combined.getOffset(i), combined.getLength(i));
      }
      return Arrays.asList(ranges);
    }
    throw new IllegalArgumentException("not a split of files: " + split.getClass().getName());
  }

  /** A new, empty split of a class that {@link #supported} accepts. */
  public static Writable create(String className) throws IOException {
    if (className.equals(org.apache.hadoop.mapreduce.lib.input.FileSplit.class.getName())) {
      return new org.apache.hadoop.mapreduce.lib.input.FileSplit();
    }
    if (className.equals(org.apache.hadoop.mapreduce.lib.input.CombineFileSplit.class.getName())) {
      return new org.apache.hadoop.mapreduce.lib.input.CombineFileSplit();
    }
    if (className.equals(org.apache.hadoop.mapred.lib.CombineFileSplit.class.getName())) {
      return new org.apache.hadoop.mapred.lib.CombineFileSplit();
    }
    if (className.equals(org.apache.hadoop.mapred.FileSplit.class.getName())
        || className.equals(PlainFileSplit.class.getName())) {
      return new PlainFileSplit();
    }
    throw new IOException("unknown split class in a batch: " + className);
  }

  /** The old API's FileSplit has no public constructor without arguments. */
  public static final class PlainFileSplit extends org.apache.hadoop.mapred.FileSplit {
    public PlainFileSplit() {
      super();
    }
  }
}
