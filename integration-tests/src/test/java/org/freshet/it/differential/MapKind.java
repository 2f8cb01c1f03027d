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

import org.freshet.it.differential.InputKind.Shape;
import org.freshet.it.jobs.NewMappers;
import org.freshet.it.jobs.OldMappers;

/** What a job's mapper does; see {@link NewMappers}. */
enum MapKind {
  TOKENS(Shape.LINES, MapOutput.TEXT_INT, NewMappers.Tokens.class, OldMappers.Tokens.class),
  FIELDS(Shape.LINES, MapOutput.PAIR_LONG, NewMappers.Fields.class, OldMappers.Fields.class),
  IN_MAPPER(Shape.LINES, MapOutput.TEXT_INT, NewMappers.InMapper.class, OldMappers.InMapper.class),
  OFFSETS(Shape.LINES, MapOutput.TEXT_LONG, NewMappers.Offsets.class, OldMappers.Offsets.class),
  FILE_NAMES(
      Shape.LINES, MapOutput.TEXT_INT, NewMappers.FileNames.class, OldMappers.FileNames.class),
  FILTER(Shape.LINES, MapOutput.TEXT_INT, NewMappers.Filter.class, OldMappers.Filter.class),
  SILENT(Shape.LINES, MapOutput.TEXT_INT, NewMappers.Silent.class, OldMappers.Silent.class),
  BIG(Shape.LINES, MapOutput.BYTES_BYTES, NewMappers.Big.class, OldMappers.Big.class),
  NUMBERS(Shape.LINES, MapOutput.LONG_DOUBLE, NewMappers.Numbers.class, OldMappers.Numbers.class),
  PAIR_TOKENS(
      Shape.PAIRS, MapOutput.TEXT_INT, NewMappers.PairTokens.class, OldMappers.PairTokens.class),
  IDENTITY(
      Shape.PAIRS,
      MapOutput.TEXT_TEXT,
      org.apache.hadoop.mapreduce.Mapper.class,
      org.apache.hadoop.mapred.lib.IdentityMapper.class),
  RECORD_LENGTHS(
      Shape.RECORDS,
      MapOutput.TEXT_INT,
      NewMappers.RecordLengths.class,
      OldMappers.RecordLengths.class),
  RECORD_BIG(
      Shape.RECORDS, MapOutput.BYTES_BYTES, NewMappers.RecordBig.class, OldMappers.RecordBig.class),
  DATUM_LENGTHS(
      Shape.DATUMS,
      MapOutput.TEXT_INT,
      NewMappers.DatumLengths.class,
      OldMappers.DatumLengths.class);

  final Shape shape;
  final MapOutput output;
  final Class<?> newClass;
  final Class<?> oldClass;

  MapKind(Shape shape, MapOutput output, Class<?> newClass, Class<?> oldClass) {
    this.shape = shape;
    this.output = output;
    this.newClass = newClass;
    this.oldClass = oldClass;
  }

  /** Whether it can read this input: a combined split has no one file to name. */
  boolean reads(InputKind input) {
    return shape == input.shape && !(this == FILE_NAMES && input == InputKind.COMBINE);
  }

  /** Whether the number of pairs that it writes depends on how the input is cut. */
  boolean outputDependsOnSplits() {
    return this == IN_MAPPER;
  }

  /** Whether it sees where its records come from, so that unchanged but moved lines count anew. */
  boolean positionSensitive() {
    return this == OFFSETS || this == FILE_NAMES;
  }
}
