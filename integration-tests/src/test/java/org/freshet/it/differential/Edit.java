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

/** What happens between two runs of a job. */
enum Edit {
  CHANGE_UNIT,
  INSERT_UNIT,
  DELETE_UNIT,
  CHANGE_BLOCK,
  MOVE_BLOCK,
  APPEND,
  PREPEND,
  TRUNCATE,
  EMPTY_FILE,
  DUPLICATE_FILE,
  ADD_FILE,
  REMOVE_FILE,
  RENAME_FILE,
  SWAP_FILES,
  JOIN_FILES,
  SPLIT_FILE,
  /** Nothing at all. */
  NOTHING,
  /** Only the modification times. */
  TOUCH,
  /** Back to the version before the last one. */
  CHANGE_BACK,
  CHANGE_PROPERTY,
  CHANGE_REDUCES,
  /** The last output is gone. */
  DELETE_OUTPUT,
  /** The last output was changed by hand. */
  CORRUPT_OUTPUT,
  /** The last output is deleted and its path is used again. */
  SAME_OUTPUT_PATH,
  /** The output path exists: the job must be refused. */
  EXISTING_OUTPUT;

  /** Whether the greater part of the input surely stays. */
  boolean small() {
    return switch (this) {
      case CHANGE_UNIT,
          INSERT_UNIT,
          DELETE_UNIT,
          APPEND,
          PREPEND,
          DUPLICATE_FILE,
          ADD_FILE,
          RENAME_FILE,
          SWAP_FILES,
          NOTHING,
          TOUCH,
          DELETE_OUTPUT,
          CORRUPT_OUTPUT,
          SAME_OUTPUT_PATH ->
          true;
      default -> false;
    };
  }
}
