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
package org.freshet.hdfs.index;

/**
 * What a collection of stale indexes did.
 *
 * @param kept indexes of files that are as they were
 * @param deleted indexes that were stale, and what interrupted writers left
 * @param deletedBytes how long those were
 * @param undecided indexes that stay because they, or their files, cannot be looked at, or because
 *     others own them
 * @param others files and directories that are not named as indexes are, and were not looked into
 */
public record IndexCollection(
    long kept, long deleted, long deletedBytes, long undecided, long others) {
  static final IndexCollection NONE = new IndexCollection(0, 0, 0, 0, 0);

  IndexCollection plus(IndexCollection that) {
    return new IndexCollection(
        kept + that.kept,
        deleted + that.deleted,
        deletedBytes + that.deletedBytes,
        undecided + that.undecided,
        others + that.others);
  }
}
