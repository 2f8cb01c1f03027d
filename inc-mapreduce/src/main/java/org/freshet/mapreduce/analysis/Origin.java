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

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Type;

/**
 * Where a reference on the operand stack may have come from: the nodes of the value-flow graph in
 * {@link StaticState}. Flow-insensitive and field-based: one node stands for a field of every
 * instance and for a parameter in every call.
 */
sealed interface Origin {

  /** A static field. */
  record StaticField(String owner, String name, String descriptor) implements Origin {}

  /** An instance field, whichever the instance. */
  record InstanceField(String owner, String name) implements Origin {}

  /** An argument; index 0 is {@code this} in instance methods. */
  record Parameter(MethodKey method, int index) implements Origin {}

  /** An array that lists the job's cache files. */
  record CacheFileArray() implements Origin {}

  /** What a method returns. */
  record Result(MethodKey method) implements Origin {}

  /**
   * A lambda or method reference.
   *
   * @param body the method behind it
   * @param captured how many of the body's first parameters are bound already
   */
  record Lambda(MethodKey body, boolean isStatic, int captured) implements Origin {

    /** The parameters that are still to be given when it is called. */
    List<Origin> freeParameters() {
      int count = Type.getArgumentCount(body.descriptor()) + (isStatic ? 0 : 1);
      List<Origin> free = new ArrayList<>();
      for (int i = captured; i < count; i++) {
        free.add(new Parameter(body, i));
      }
      return free;
    }
  }
}
