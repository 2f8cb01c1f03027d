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

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Class files as a loader serves them, parsed at most once; nothing is ever loaded or initialized.
 *
 * <p>Keeps the code of classes that the {@link CodeScope} reads and the declarations alone of all
 * others. Not thread-safe.
 */
final class ClassPool {

  /** A method together with the class that declares it. */
  record Declared(ClassNode owner, MethodNode method) {
    MethodKey key() {
      return new MethodKey(owner.name, method.name, method.desc);
    }
  }

  private static final Set<String> IMMUTABLE =
      Set.of(
          "java/lang/Boolean",
          "java/lang/Byte",
          "java/lang/Character",
          "java/lang/Class",
          "java/lang/Double",
          "java/lang/Float",
          "java/lang/Integer",
          "java/lang/Long",
          "java/lang/Short",
          "java/lang/String",
          "java/math/BigDecimal",
          "java/math/BigInteger",
          "java/nio/charset/Charset",
          "java/util/Locale",
          "java/util/UUID",
          "java/util/regex/Pattern");

  private final ClassLoader loader;
  private final CodeScope scope;
  private final Map<String, Optional<ClassNode>> classes = new HashMap<>();
  private final Map<String, Set<String>> supertypes = new HashMap<>();

  ClassPool(ClassLoader loader, CodeScope scope) {
    this.loader = loader;
    this.scope = scope;
  }

  /** The class, or empty if its file is missing or of a version that cannot be parsed. */
  Optional<ClassNode> find(String name) {
    Optional<ClassNode> known = classes.get(name);
    if (known == null) {
      known = read(name);
      classes.put(name, known);
    }
    return known;
  }

  private Optional<ClassNode> read(String name) {
    int codeFlag = scope.isRead(name) ? 0 : ClassReader.SKIP_CODE;
    try (InputStream in = loader.getResourceAsStream(name + ".class")) {
      if (in == null) {
        return Optional.empty();
      }
      ClassNode node = new ClassNode();
      new ClassReader(in).accept(node, codeFlag | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
      return Optional.of(node);
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // ASM reports a newer class-file version or a damaged file by these; the caller then treats
      // the class as unreadable, which is the safe side.
      return Optional.empty();
    }
  }

  /** The type itself and all its supertypes, superclasses first; unreadable ones by name only. */
  Set<String> supertypes(String name) {
    Set<String> known = supertypes.get(name);
    if (known == null) {
      known = new LinkedHashSet<>();
      for (String at = name; at != null; at = superName(at)) {
        known.add(at);
      }
      Deque<String> open = new ArrayDeque<>(known);
      while (!open.isEmpty()) {
        String next = open.remove();
        known.add(next);
        find(next).ifPresent(node -> open.addAll(node.interfaces));
      }
      supertypes.put(name, known);
    }
    return known;
  }

  boolean isSubtype(String name, String supertype) {
    return name.equals(supertype) || supertypes(name).contains(supertype);
  }

  /** The internal name of the superclass, or null for Object and unreadable classes. */
  String superName(String name) {
    return find(name).map(node -> node.superName).orElse(null);
  }

  /** The method that a call selects: up the superclass chain, then among the interfaces. */
  Optional<Declared> findMethod(String owner, String name, String descriptor) {
    Optional<Declared> firstAbstract = Optional.empty();
    for (String type : supertypes(owner)) {
      Optional<Declared> here = declared(type, name, descriptor);
      if (here.isPresent()) {
        if ((here.get().method().access & Opcodes.ACC_ABSTRACT) == 0) {
          return here;
        }
        firstAbstract = firstAbstract.or(() -> here);
      }
    }
    return firstAbstract;
  }

  private Optional<Declared> declared(String type, String name, String descriptor) {
    return find(type)
        .flatMap(
            node ->
                node.methods.stream()
                    .filter(m -> m.name.equals(name) && m.desc.equals(descriptor))
                    .findFirst()
                    .map(m -> new Declared(node, m)));
  }

  /** The class that declares a field named through {@code owner}. */
  Optional<ClassNode> fieldOwner(String owner, String name) {
    for (String type : supertypes(owner)) {
      Optional<ClassNode> node = find(type);
      if (node.isPresent() && field(node.get(), name).isPresent()) {
        return node;
      }
    }
    return Optional.empty();
  }

  /** An instance field by the class that declares it, however the code names it. */
  Origin.InstanceField instanceField(FieldInsnNode access) {
    String owner = fieldOwner(access.owner, access.name).map(n -> n.name).orElse(access.owner);
    return new Origin.InstanceField(owner, access.name);
  }

  /**
   * The field that a method gives and does nothing else, as the accessors of Scala and Kotlin.
   *
   * @return empty if the method is no such one
   */
  Optional<FieldInsnNode> fieldGivenBy(Declared getter) {
    AbstractInsnNode[] code =
        Arrays.stream(getter.method().instructions.toArray())
            .filter(insn -> insn.getOpcode() >= 0)
            .toArray(AbstractInsnNode[]::new);
    boolean gives =
        code.length == 3
            && code[0].getOpcode() == Opcodes.ALOAD
            && ((VarInsnNode) code[0]).var == 0
            && (getter.method().access & Opcodes.ACC_STATIC) == 0
            && code[1].getOpcode() == Opcodes.GETFIELD
            && code[2].getOpcode() >= Opcodes.IRETURN
            && code[2].getOpcode() < Opcodes.RETURN;
    return gives ? Optional.of((FieldInsnNode) code[1]) : Optional.empty();
  }

  /** Whether a field named through {@code owner} is known and final. */
  boolean isFinal(String owner, String name) {
    return fieldOwner(owner, name)
        .flatMap(node -> field(node, name))
        .filter(f -> (f.access & Opcodes.ACC_FINAL) != 0)
        .isPresent();
  }

  static Optional<FieldNode> field(ClassNode node, String name) {
    return node.fields.stream().filter(f -> f.name.equals(name)).findFirst();
  }

  /**
   * The text a static field always holds: a compile-time constant, or a literal that the static
   * initializer stores and that no other method of its class replaces.
   */
  Optional<String> constantText(String owner, String name) {
    Optional<ClassNode> node = fieldOwner(owner, name);
    if (node.isEmpty()) {
      return Optional.empty();
    }
    Object constant = field(node.get(), name).orElseThrow().value;
    if (constant instanceof String text) {
      return Optional.of(text);
    }
    String found = null;
    for (MethodNode method : node.get().methods) {
      for (AbstractInsnNode insn : method.instructions) {
        if (!isWriteOf(insn, node.get().name, name)) {
          continue;
        }
        if (found == null
            && method.name.equals("<clinit>")
            && insn.getPrevious() instanceof LdcInsnNode ldc
            && ldc.cst instanceof String text) {
          found = text;
        } else {
          return Optional.empty();
        }
      }
    }
    return Optional.ofNullable(found);
  }

  static boolean isWriteOf(AbstractInsnNode insn, String owner, String field) {
    return insn.getOpcode() == Opcodes.PUTSTATIC
        && insn instanceof FieldInsnNode access
        && access.owner.equals(owner)
        && access.name.equals(field);
  }

  /** Whether the descriptor is of a reference whose object may change. */
  static boolean canHoldState(Type type) {
    return switch (type.getSort()) {
      case Type.ARRAY -> true;
      case Type.OBJECT -> !isImmutable(type.getInternalName());
      default -> false;
    };
  }

  private static boolean isImmutable(String name) {
    return name.startsWith("java/time/")
        || name.startsWith("org/slf4j/")
        || IMMUTABLE.contains(name);
  }
}
