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

/**
 * What a leaf's name must say besides the content of its chunk, from what the mapper can see of
 * where its records came from.
 */
public enum LeafNaming {
  /** Content alone: the mapper can't see where its records came from. */
  CONTENT,
  /** Also file and offset: the mapper sees the offset key or the file's name. */
  PLACE,
  /** The original splits with their files: the mapper sees its split. */
  SPLIT
}
