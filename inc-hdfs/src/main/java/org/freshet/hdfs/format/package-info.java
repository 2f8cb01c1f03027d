/**
 * How files of a format are cut into chunks of whole records, and how a stock input format is made
 * to read just the records of one chunk.
 *
 * <p>Start with {@link org.freshet.hdfs.format.RecordFormats}, which knows the input formats, and
 * {@link org.freshet.hdfs.format.RecordFormat}, which is what it gives. Input formats are known by
 * the names of their classes: nothing here needs MapReduce or Avro to run. Nothing here knows
 * indexes of chunks; {@code org.freshet.hdfs.index} stands on this package.
 */
package org.freshet.hdfs.format;
