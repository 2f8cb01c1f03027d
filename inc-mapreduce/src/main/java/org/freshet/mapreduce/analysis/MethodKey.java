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

/**
 * Names a method as bytecode does: internal owner name, method name, descriptor.
 *
 * @param owner internal class name, such as {@code java/lang/String}
 * @param name method name; empty if the owner stands for the job as a whole
 * @param descriptor erased descriptor
 */
record MethodKey(String owner, String name, String descriptor) {

  /** The name people know: {@code WordCount$Map.map}; a lambda goes by the method it stands in. */
  String display() {
    String shown = name;
    if (name.startsWith("lambda$")) {
      int end = name.lastIndexOf('$');
      shown = end > "lambda$".length() ? name.substring("lambda$".length(), end) : name;
    }
    return switch (shown) {
      case "" -> owner;
      case "<clinit>" -> displayClass(owner) + "'s static initializer";
      case "<init>" -> displayClass(owner) + "'s constructor";
      default -> displayClass(owner) + "." + shown;
    };
  }

  /** A class name without its package, nested classes with their outer class. */
  static String displayClass(String internalName) {
    return internalName.substring(internalName.lastIndexOf('/') + 1);
  }
}
