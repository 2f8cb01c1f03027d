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

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Static fields that a task reads and only the submitting program sets, as {@code main} often does.
 *
 * <p>On a cluster the task never sees such a value; in the local job runner it does, and no lineage
 * knows of it. Looked for in the field's own class and the classes nested with it.
 */
final class SubmitterStatics {

  private final ClassPool pool;
  private final CodeScope scope;
  private final Map<Origin.StaticField, MethodKey> readers = new LinkedHashMap<>();

  SubmitterStatics(ClassPool pool, CodeScope scope) {
    this.pool = pool;
    this.scope = scope;
  }

  /** Records that task code reads a static field that is not final. */
  void read(Origin.StaticField field, MethodKey by) {
    readers.putIfAbsent(field, by);
  }

  /**
   * The first field found to be set by code outside the task, described for people.
   *
   * @param runsInTask tells the methods that task code reaches
   */
  Optional<String> firstSetOutside(Predicate<MethodKey> runsInTask) {
    for (Map.Entry<Origin.StaticField, MethodKey> entry : readers.entrySet()) {
      Origin.StaticField field = entry.getKey();
      for (ClassNode node : nest(field.owner())) {
        for (MethodNode method : node.methods) {
          MethodKey key = new MethodKey(node.name, method.name, method.desc);
          boolean outside = !method.name.equals("<clinit>") && !runsInTask.test(key);
          if (outside && writes(method, field)) {
            return Optional.of(
                entry.getValue().display()
                    + " reads static field "
                    + MethodKey.displayClass(field.owner())
                    + "."
                    + field.name()
                    + ", which "
                    + key.display()
                    + " sets outside the task");
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean writes(MethodNode method, Origin.StaticField field) {
    for (AbstractInsnNode insn : method.instructions) {
      if (ClassPool.isWriteOf(insn, field.owner(), field.name())) {
        return true;
      }
    }
    return false;
  }

  private List<ClassNode> nest(String name) {
    Set<String> names = new LinkedHashSet<>();
    names.add(name);
    pool.find(name)
        .ifPresent(
            node -> {
              for (InnerClassNode inner : node.innerClasses) {
                names.add(inner.name);
                if (inner.outerName != null) {
                  names.add(inner.outerName);
                }
              }
            });
    return names.stream().filter(scope::isRead).flatMap(each -> pool.find(each).stream()).toList();
  }
}
