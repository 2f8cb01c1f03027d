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
package org.freshet.mapreduce.analysis;

/** What a reference is proven to be with regard to the job's cache files. */
enum CacheValue {
  /** No value has been seen yet, or only null: the top of the lattice. */
  NONE_YET,
  /** The URI of a cache file, as the job gives it, in one of the types that hold names. */
  URI,
  /** The path of that URI without scheme and authority. */
  PATH,
  /** The path of a cache file's local copy. */
  LOCAL_PATH,
  /** The name of a link to a cache file in the working directory. */
  LINK,
  /** An array, list or iterator of {@link #URI}. */
  URIS,
  /** An array, list or iterator of {@link #LOCAL_PATH}. */
  LOCAL_PATHS,
  /** The default file system, or the one that a cache file's URI names. */
  SHARED_FILE_SYSTEM,
  /** The file system of the machine. */
  LOCAL_FILE_SYSTEM,
  /** A stream or reader on a file whose opening is judged by itself. */
  OPENED,
  /** The status of a file; asking for it is judged by itself. */
  STATUS,
  /** An array without elements. */
  EMPTY_ARRAY,
  /** Anything else: the bottom of the lattice. */
  OTHER;

  /** The value that stands for both: what merges with another thing is not proven to be either. */
  CacheValue meet(CacheValue other) {
    if (this == NONE_YET || this == other) {
      return other;
    }
    return other == NONE_YET ? this : OTHER;
  }
}
