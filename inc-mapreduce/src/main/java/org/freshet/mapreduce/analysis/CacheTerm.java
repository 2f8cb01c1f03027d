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

import org.freshet.mapreduce.analysis.CacheFileNames.Form;
import org.objectweb.asm.tree.AbstractInsnNode;

/**
 * A {@link CacheValue} as one method knows it: in terms of what flows into the method. {@link
 * CacheFlow} finds the values. A missing term (null) stands for {@link CacheValue#OTHER}.
 */
sealed interface CacheTerm {

  /** A value known on the spot. */
  record Is(CacheValue value) implements CacheTerm {}

  /** Whatever flows into a parameter, an instance field or a method's result. */
  record Held(Origin by) implements CacheTerm {}

  /** The object made by an instruction, which is what its constructor makes of its arguments. */
  record Made(AbstractInsnNode at) implements CacheTerm {}

  /** What a library method makes of another value. */
  record Derived(Step step, CacheTerm from) implements CacheTerm {}

  /** Ways from one value to the next. */
  enum Step {
    /** Another type for the same name, the same list or the same object. */
    SAME,
    /** Text of a URI or Hadoop path. */
    TEXT,
    /** The path of a URI. */
    PATH,
    /** The last component of a path. */
    LAST_COMPONENT,
    /** An element of an array, list or iterator. */
    ELEMENT,
    /** The local file that a URI with scheme {@code file} names. */
    FILE_OF_URI,
    /** The file system that a URI or path names. */
    FILE_SYSTEM;

    CacheValue apply(CacheValue value, CacheFileNames names) {
      if (value == CacheValue.NONE_YET || value == CacheValue.OTHER) {
        return value;
      }
      return switch (this) {
        case SAME -> value;
        case TEXT -> text(value, names);
        case PATH -> value == CacheValue.URI ? CacheValue.PATH : name(value);
        case LAST_COMPONENT -> lastComponent(value, names);
        case ELEMENT ->
            switch (value) {
              case URIS -> CacheValue.URI;
              case LOCAL_PATHS -> CacheValue.LOCAL_PATH;
              default -> CacheValue.OTHER;
            };
        case FILE_OF_URI ->
            value == CacheValue.URI || value == CacheValue.LOCAL_PATH
                ? CacheValue.LOCAL_PATH
                : CacheValue.OTHER;
        case FILE_SYSTEM ->
            value == CacheValue.URI || value == CacheValue.PATH
                ? CacheValue.SHARED_FILE_SYSTEM
                : CacheValue.OTHER;
      };
    }

    private static CacheValue name(CacheValue value) {
      return switch (value) {
        case URI, PATH, LOCAL_PATH, LINK -> value;
        default -> CacheValue.OTHER;
      };
    }

    private static CacheValue text(CacheValue value, CacheFileNames names) {
      boolean lost = value == CacheValue.URI && !names.sufficient().contains(Form.TEXT);
      return lost ? CacheValue.OTHER : name(value);
    }

    private static CacheValue lastComponent(CacheValue value, CacheFileNames names) {
      return switch (value) {
        case LINK -> CacheValue.LINK;
        case URI, PATH, LOCAL_PATH ->
            names.sufficient().contains(Form.LAST_COMPONENT) ? CacheValue.LINK : CacheValue.OTHER;
        default -> CacheValue.OTHER;
      };
    }
  }

  /** The term for both of two values that meet in one place. */
  static CacheTerm join(CacheTerm left, CacheTerm right) {
    if (left == null || right == null || left.equals(right)) {
      return left == null ? null : right;
    }
    if (left.equals(NULL)) {
      return right;
    }
    return right.equals(NULL) ? left : null;
  }

  /** The null reference, which stands in nobody's way: nothing can be opened under it. */
  CacheTerm NULL = new Is(CacheValue.NONE_YET);

  /** The term for what a step makes of a value; null if nothing is known of that value. */
  static CacheTerm derived(Step step, CacheTerm from) {
    // No step starts from the null reference. Saying so keeps what joins with it in a loop known.
    return from == null || from.equals(NULL) ? from : new Derived(step, from);
  }
}
