/**
 * The chunk index: for each input file its content-defined chunks, on any Hadoop file system,
 * without reading again what has not changed.
 *
 * <p>Start with {@link org.freshet.hdfs.index.ChunkIndexer}, which the planner of jobs asks, and
 * {@link org.freshet.hdfs.index.FileIndexStore}, where writers leave what they know of a file.
 * {@link org.freshet.hdfs.index.FileVersion} decides what "has not changed" means on each kind of
 * file system; what the chunks are is the business of {@link org.freshet.shredder.Chunker} and
 * {@link org.freshet.hdfs.format}. There are two forms of index: one for the files of a directory
 * ({@code ChunkIndexStore}, {@code DirectoryIndexFormat}), a cache of what a planner read; and one
 * for each file ({@code FileIndex} and what begins like it), read by ranges. Nothing here knows
 * jobs, splits or the memo store: a lost or damaged index costs reading time and nothing else.
 */
package org.freshet.hdfs.index;
