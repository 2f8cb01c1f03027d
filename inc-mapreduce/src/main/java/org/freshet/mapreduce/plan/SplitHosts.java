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
package org.freshet.mapreduce.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.map.SplitKinds;

/** On which hosts files lie, as the original splits of one file each tell. */
final class SplitHosts {
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record HostRange(long start, long end, String[] hosts) {}

  private final Map<Path, List<HostRange>> ranges = new HashMap<>();

  SplitHosts(List<?> splits) throws InterruptedException {
    for (Object split : splits) {
      List<SplitKinds.Range> read = SplitKinds.ranges(split);
      if (read.size() == 1) {
        SplitKinds.Range range = read.get(0);
        ranges
            .computeIfAbsent(range.path(), p -> new ArrayList<>())
            .add(new HostRange(range.start(), range.start() + range.length(), of(split)));
      }
    }
  }

  /** The hosts of a split, none where it does not tell. */
  static String[] of(Object split) throws InterruptedException {
    try {
      String[] hosts =
          split instanceof org.apache.hadoop.mapreduce.InputSplit s
              ? s.getLocations()
              : ((org.apache.hadoop.mapred.InputSplit) split).getLocations();
      return hosts == null ? new String[0] : hosts;
    } catch (IOException e) {
      return new String[0];
    }
  }

  /** The hosts of a byte of a file of which there is at least one split. */
  String[] at(Path file, long offset) {
    List<HostRange> of = ranges.get(file);
    for (HostRange range : of) {
      if (offset >= range.start() && offset < range.end()) {
        return range.hosts();
      }
    }
    return of.get(0).hosts();
  }
}
