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

  /** What a method returns. */
  record Result(MethodKey method) implements Origin {}
}
