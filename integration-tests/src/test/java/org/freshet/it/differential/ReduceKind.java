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
package org.freshet.it.differential;

import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.freshet.it.jobs.NewReducers;
import org.freshet.it.jobs.OldReducers;

/** What a job's reducer does; see {@link NewReducers}. */
enum ReduceKind {
  IDENTITY(
      org.apache.hadoop.mapreduce.Reducer.class,
      org.apache.hadoop.mapred.lib.IdentityReducer.class),
  SUM(NewReducers.Sum.class, OldReducers.Sum.class),
  MAX(NewReducers.Max.class, OldReducers.Max.class),
  COUNT(NewReducers.Count.class, OldReducers.Count.class),
  DISTINCT_SET(NewReducers.DistinctSet.class, OldReducers.DistinctSet.class),
  SORTED_LIST(NewReducers.SortedList.class, OldReducers.SortedList.class),
  SALTED_SUM(NewReducers.SaltedSum.class, OldReducers.SaltedSum.class),
  LOWER_CASE_SUM(NewReducers.LowerCaseSum.class, OldReducers.LowerCaseSum.class),
  SECONDARY(NewReducers.Secondary.class, OldReducers.Secondary.class),
  FRAMED_SUM(NewReducers.FramedSum.class, OldReducers.FramedSum.class),
  TOP(NewReducers.Top.class, OldReducers.Top.class),
  MULTIPLE_SUM(NewReducers.MultipleSum.class, OldReducers.MultipleSum.class);

  /** Combiners that leave a reducer's result as it is. */
  enum Combiner {
    SUM(NewReducers.Sum.class, OldReducers.Sum.class),
    MAX(NewReducers.Max.class, OldReducers.Max.class),
    DISTINCT(NewReducers.DistinctValues.class, OldReducers.DistinctValues.class);

    final Class<?> newClass;
    final Class<?> oldClass;

    Combiner(Class<?> newClass, Class<?> oldClass) {
      this.newClass = newClass;
      this.oldClass = oldClass;
    }
  }

  final Class<?> newClass;
  final Class<?> oldClass;

  ReduceKind(Class<?> newClass, Class<?> oldClass) {
    this.newClass = newClass;
    this.oldClass = oldClass;
  }

  /** Whether the result of this reducer over the mapper's output is determined. */
  boolean takes(MapKind map) {
    return switch (this) {
      // The order of a group's values is open, so they must all be equal.
      case IDENTITY -> map == MapKind.TOKENS || map == MapKind.SILENT || map == MapKind.FILE_NAMES;
      // These see how often a value came, and in-mapper combining changes that with the splits.
      case COUNT, SORTED_LIST, DISTINCT_SET -> !map.outputDependsOnSplits();
      case MAX -> !map.outputDependsOnSplits();
      case SUM, SALTED_SUM, MULTIPLE_SUM -> map.output.numeric();
      case LOWER_CASE_SUM, FRAMED_SUM, TOP -> map.output.numeric() && map.output.textKey();
      case SECONDARY -> map.output == MapOutput.PAIR_LONG;
    };
  }

  /** The combiners that fit; empty where there is none. */
  List<Combiner> combiners() {
    return switch (this) {
      case IDENTITY, COUNT, SORTED_LIST -> List.of();
      case MAX -> List.of(Combiner.MAX, Combiner.DISTINCT);
      case DISTINCT_SET -> List.of(Combiner.DISTINCT);
      case SUM, SALTED_SUM, LOWER_CASE_SUM, SECONDARY, FRAMED_SUM, TOP, MULTIPLE_SUM ->
          List.of(Combiner.SUM);
    };
  }

  Class<?> outputKey(MapOutput map) {
    return switch (this) {
      case IDENTITY, SUM, MAX, COUNT, DISTINCT_SET, SORTED_LIST, SALTED_SUM, MULTIPLE_SUM ->
          map.key;
      case LOWER_CASE_SUM, SECONDARY, FRAMED_SUM, TOP -> Text.class;
    };
  }

  Class<?> outputValue(MapOutput map) {
    return switch (this) {
      case IDENTITY, SUM, MAX, LOWER_CASE_SUM, MULTIPLE_SUM -> map.value;
      case COUNT, TOP -> LongWritable.class;
      case DISTINCT_SET, SORTED_LIST, SALTED_SUM, SECONDARY, FRAMED_SUM -> Text.class;
    };
  }
}
