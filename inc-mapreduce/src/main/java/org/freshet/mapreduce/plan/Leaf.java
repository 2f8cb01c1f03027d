package org.freshet.mapreduce.plan;

import org.apache.hadoop.io.Writable;
import org.freshet.slider.Digest;

/**
 * One chunk of a job's input, or one original split where its files can't be cut.
 *
 * @param id the leaf's name
 * @param file index of the (first) file in the plan's file list
 * @param offset where the chunk begins in that file, in bytes
 * @param length input bytes
 * @param split what the original input format is to read
 * @param sources indexes of every file it is read from
 * @param hosts where the data is
 */
record Leaf(
    Digest id,
    int file,
    long offset,
    long length,
    Writable split,
    int[] sources,
    String[] hosts) {}
