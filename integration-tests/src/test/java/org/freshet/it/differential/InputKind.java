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

/** How a job reads its input. */
enum InputKind {
  TEXT(
      Shape.LINES,
      org.apache.hadoop.mapreduce.lib.input.TextInputFormat.class,
      org.apache.hadoop.mapred.TextInputFormat.class),
  KEY_VALUE(
      Shape.PAIRS,
      org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat.class,
      org.apache.hadoop.mapred.KeyValueTextInputFormat.class),
  NLINE(
      Shape.LINES,
      org.apache.hadoop.mapreduce.lib.input.NLineInputFormat.class,
      org.apache.hadoop.mapred.lib.NLineInputFormat.class),
  COMBINE(
      Shape.LINES,
      org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat.class,
      org.apache.hadoop.mapred.lib.CombineTextInputFormat.class),
  SEQUENCE(
      Shape.RECORDS,
      org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat.class,
      org.apache.hadoop.mapred.SequenceFileInputFormat.class),
  FIXED(
      Shape.RECORDS,
      org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat.class,
      org.apache.hadoop.mapred.FixedLengthInputFormat.class),
  SEQUENCE_AS_TEXT(
      Shape.PAIRS,
      org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat.class,
      org.apache.hadoop.mapred.SequenceFileAsTextInputFormat.class),
  AVRO(
      Shape.DATUMS,
      org.apache.avro.mapreduce.AvroKeyInputFormat.class,
      org.apache.avro.mapred.AvroInputFormat.class);

  /** What a mapper is given. */
  enum Shape {
    /** Offset and line. */
    LINES,
    /** Text and text. */
    PAIRS,
    /** Any key and a byte string. */
    RECORDS,
    /** An Avro record and nothing. */
    DATUMS
  }

  /** The length of a record of {@link #FIXED}, in bytes. */
  static final int RECORD_BYTES = 20;

  final Shape shape;
  final Class<?> newClass;
  final Class<?> oldClass;

  InputKind(Shape shape, Class<?> newClass, Class<?> oldClass) {
    this.shape = shape;
    this.newClass = newClass;
    this.oldClass = oldClass;
  }

  /** Whether its files are text. */
  boolean isText() {
    return switch (this) {
      case TEXT, KEY_VALUE, NLINE, COMBINE -> true;
      case SEQUENCE, SEQUENCE_AS_TEXT, FIXED, AVRO -> false;
    };
  }

  /** Whether compressed text may be among the files; NLine cuts the raw bytes and can't. */
  boolean takesGzip() {
    return isText() && this != NLINE;
  }
}
