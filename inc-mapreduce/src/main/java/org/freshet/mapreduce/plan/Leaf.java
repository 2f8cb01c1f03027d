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
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record Leaf(
    Digest id, int file, long offset, long length, Writable split, int[] sources, String[] hosts) {}
