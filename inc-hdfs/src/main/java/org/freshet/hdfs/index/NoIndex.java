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

/** Why a file has no chunk index that can be used, or none could be kept. */
public enum NoIndex {
  ABSENT("there is none"),
  OTHER_CHUNKER("it was made with other chunks"),
  OTHER_VERSION("the file has changed since"),
  UNTRUSTED_OWNER("its owner is neither the file's, nor the reader, nor the superuser"),
  WRITABLE_BY_OTHERS("others than its owner may write it"),
  DAMAGED("it is damaged, or of an unknown format"),
  UNREADABLE("it cannot be read"),
  UNSTABLE("the file system does not tell one version of a file from another"),
  BEING_WRITTEN("the file is still being written"),
  UNSETTLED("the file changed a moment ago"),
  EMPTY("the file is empty"),
  SNAPSHOT("the file is in a snapshot, and its index that of the present file"),
  ENCRYPTED("the file is encrypted, and the place of its index is not"),
  UNWRITABLE("it cannot be written");

  private final String description;

  NoIndex(String description) {
    this.description = description;
  }

  /** A clause for people. */
  public String description() {
    return description;
  }
}
