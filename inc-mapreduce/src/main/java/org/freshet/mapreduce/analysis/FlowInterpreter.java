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

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.analysis.Interpreter;

/**
 * Follows constants, origins and record positions through one method.
 *
 * <p>A position (the key of a map call, or what {@code getCurrentKey} returned) may be moved
 * between local variables, cast, and handed on as the key of another map call, which is then
 * examined in its turn: so the compiler's bridge methods, {@code super.map} and a copied {@code
 * run} loop are judged by what the map method at the end does. Any other instruction that takes it
 * counts as a use.
 */
final class FlowInterpreter extends Interpreter<FlowValue> {

  private static final Set<String> KOTLIN_NULL_CHECKS =
      Set.of("checkNotNullParameter", "checkParameterIsNotNull");

  private static final String NEW_API_ARGUMENTS = "Lorg/apache/hadoop/mapreduce/Mapper$Context;)V";
  private static final String OLD_API_ARGUMENTS =
      "Lorg/apache/hadoop/mapred/OutputCollector;Lorg/apache/hadoop/mapred/Reporter;)V";

  private static final Set<String> COPYING_CALLS =
      Set.of("clone", "collect", "copyOf", "copyOfRange", "split", "toArray", "toList");

  private final ClassPool pool;
  private final CodeScope scope;
  private final MethodKey method;
  private final boolean keyIsPosition;
  private final Findings findings;
  private final FileAccess access;

  FlowInterpreter(
      ClassPool pool,
      CodeScope scope,
      FileAccess access,
      MethodKey method,
      boolean keyIsPosition,
      Findings findings) {
    super(Opcodes.ASM9);
    this.pool = pool;
    this.scope = scope;
    this.access = access;
    this.method = method;
    this.keyIsPosition = keyIsPosition;
    this.findings = findings;
  }

  /** Whether a method has the shape of a map function of either API. */
  static boolean isMapFunction(String name, String descriptor) {
    if (!name.equals("map")) {
      return false;
    }
    return switch (Type.getArgumentCount(descriptor)) {
      case 3 -> descriptor.endsWith(NEW_API_ARGUMENTS);
      case 4 -> descriptor.endsWith(OLD_API_ARGUMENTS);
      default -> false;
    };
  }

  @Override
  public FlowValue newValue(Type type) {
    if (type == null) {
      return FlowValue.UNKNOWN;
    }
    return type.equals(Type.VOID_TYPE) ? null : FlowValue.ofSize(type.getSize());
  }

  @Override
  public FlowValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
    boolean isThis = isInstanceMethod && local == 0;
    if (!isThis && type.getSort() < Type.ARRAY) {
      return FlowValue.ofSize(type.getSize());
    }
    Origin parameter = new Origin.Parameter(method, parameterIndex(isInstanceMethod, local));
    CacheTerm given = isThis ? null : new CacheTerm.Held(parameter);
    if (!isThis && !ClassPool.canHoldState(type)) {
      return FlowValue.UNKNOWN.with(given);
    }
    FlowValue value = FlowValue.from(Set.of(parameter)).with(given);
    boolean isKey =
        keyIsPosition
            && isInstanceMethod
            && local == 1
            && isMapFunction(method.name(), method.descriptor());
    return isKey ? new FlowValue(1, null, "its key parameter", value.origins(), null) : value;
  }

  private int parameterIndex(boolean isInstanceMethod, int local) {
    int index = 0;
    int slot = 0;
    if (isInstanceMethod) {
      if (local == 0) {
        return 0;
      }
      index = 1;
      slot = 1;
    }
    for (Type type : Type.getArgumentTypes(method.descriptor())) {
      if (slot == local) {
        return index;
      }
      slot += type.getSize();
      index++;
    }
    throw new IllegalArgumentException(
        "local variable " + local + " is no parameter of " + method.display());
  }

  @Override
  public FlowValue newOperation(AbstractInsnNode insn) {
    return switch (insn.getOpcode()) {
      case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 ->
          FlowValue.UNKNOWN_WIDE;
      case Opcodes.LDC -> {
        Object constant = ((LdcInsnNode) insn).cst;
        if (constant instanceof String text) {
          yield FlowValue.constant(text).with(access.literal(text));
        }
        if (constant instanceof Type) {
          yield FlowValue.constant(constant);
        }
        yield FlowValue.ofSize(constant instanceof Long || constant instanceof Double ? 2 : 1);
      }
      case Opcodes.GETSTATIC -> staticField((FieldInsnNode) insn);
      case Opcodes.ACONST_NULL -> FlowValue.UNKNOWN.with(CacheTerm.NULL);
      case Opcodes.NEW -> FlowValue.UNKNOWN.with(new CacheTerm.Made(insn));
      default -> FlowValue.UNKNOWN;
    };
  }

  private FlowValue staticField(FieldInsnNode field) {
    Type type = Type.getType(field.desc);
    if (field.desc.equals("Ljava/lang/String;")) {
      boolean isFinal = pool.isFinal(field.owner, field.name);
      return pool.constantText(field.owner, field.name)
          .map(t -> FlowValue.constant(t).with(isFinal ? access.literal(t) : null))
          .orElse(FlowValue.UNKNOWN);
    }
    if (!ClassPool.canHoldState(type)) {
      return FlowValue.ofSize(type.getSize());
    }
    String owner = pool.fieldOwner(field.owner, field.name).map(n -> n.name).orElse(field.owner);
    return FlowValue.from(Set.of(new Origin.StaticField(owner, field.name, field.desc)));
  }

  @Override
  public FlowValue copyOperation(AbstractInsnNode insn, FlowValue value) {
    return value;
  }

  @Override
  public FlowValue unaryOperation(AbstractInsnNode insn, FlowValue value) {
    if (insn.getOpcode() == Opcodes.CHECKCAST) {
      return value;
    }
    use(value);
    return switch (insn.getOpcode()) {
      case Opcodes.LNEG,
          Opcodes.DNEG,
          Opcodes.I2L,
          Opcodes.I2D,
          Opcodes.L2D,
          Opcodes.F2L,
          Opcodes.F2D,
          Opcodes.D2L ->
          FlowValue.UNKNOWN_WIDE;
      case Opcodes.GETFIELD -> instanceField((FieldInsnNode) insn, value);
      case Opcodes.ANEWARRAY -> {
        AbstractInsnNode length = insn.getPrevious();
        boolean empty = length != null && length.getOpcode() == Opcodes.ICONST_0;
        yield FlowValue.UNKNOWN.with(empty ? new CacheTerm.Is(CacheValue.EMPTY_ARRAY) : null);
      }
      default -> FlowValue.UNKNOWN;
    };
  }

  private FlowValue instanceField(FieldInsnNode access, FlowValue holder) {
    Type type = Type.getType(access.desc);
    if (type.getSort() < Type.ARRAY) {
      return FlowValue.ofSize(type.getSize());
    }
    CacheTerm held = CacheFlow.field(pool, access);
    if (!ClassPool.canHoldState(type)) {
      return FlowValue.UNKNOWN.with(held);
    }
    // The content of a field is part of whatever its holder came from.
    Set<Origin> origins = new HashSet<>(holder.origins());
    origins.add(pool.instanceField(access));
    return FlowValue.from(Set.copyOf(origins)).with(held);
  }

  @Override
  public FlowValue binaryOperation(AbstractInsnNode insn, FlowValue left, FlowValue right) {
    use(left);
    use(right);
    return switch (insn.getOpcode()) {
      case Opcodes.AALOAD ->
          FlowValue.from(left.origins())
              .with(CacheTerm.derived(CacheTerm.Step.ELEMENT, left.cache()));
      case Opcodes.LALOAD,
          Opcodes.DALOAD,
          Opcodes.LADD,
          Opcodes.DADD,
          Opcodes.LSUB,
          Opcodes.DSUB,
          Opcodes.LMUL,
          Opcodes.DMUL,
          Opcodes.LDIV,
          Opcodes.DDIV,
          Opcodes.LREM,
          Opcodes.DREM,
          Opcodes.LSHL,
          Opcodes.LSHR,
          Opcodes.LUSHR,
          Opcodes.LAND,
          Opcodes.LOR,
          Opcodes.LXOR ->
          FlowValue.UNKNOWN_WIDE;
      default -> FlowValue.UNKNOWN;
    };
  }

  @Override
  public FlowValue ternaryOperation(
      AbstractInsnNode insn, FlowValue array, FlowValue index, FlowValue stored) {
    use(stored);
    return null;
  }

  @Override
  public FlowValue naryOperation(AbstractInsnNode insn, List<? extends FlowValue> values) {
    if (insn instanceof MultiANewArrayInsnNode) {
      return FlowValue.UNKNOWN;
    }
    if (insn instanceof InvokeDynamicInsnNode indy) {
      values.forEach(this::use);
      Handle body = lambdaBody(indy);
      return body == null
          ? newValue(Type.getReturnType(indy.desc))
          : FlowValue.from(Set.of(lambda(body, values.size())));
    }
    MethodInsnNode call = (MethodInsnNode) insn;
    if (isKotlinNullCheck(call)) {
      return null;
    }
    int keyIndex = handsOnKey(call) ? 1 : -1;
    for (int i = 0; i < values.size(); i++) {
      if (i != keyIndex) {
        use(values.get(i));
      }
    }
    FlowValue result = callResult(call, values);
    return result == null ? null : result.with(cacheTerm(call, values));
  }

  private CacheTerm cacheTerm(MethodInsnNode call, List<? extends FlowValue> arguments) {
    if (Type.getReturnType(call.desc).getSort() < Type.ARRAY) {
      return null;
    }
    MethodKey callee = new MethodKey(call.owner, call.name, call.desc);
    if (!scope.isRead(call.owner)) {
      return access.result(callee, arguments);
    }
    // Which method a call runs is certain only if none can override it.
    return pool.findMethod(call.owner, call.name, call.desc)
        .filter(m -> scope.isRead(m.owner().name))
        .filter(m -> call.getOpcode() == Opcodes.INVOKESPECIAL || isFinal(m))
        .map(m -> (CacheTerm) new CacheTerm.Held(new Origin.Result(m.key())))
        .orElse(null);
  }

  private static boolean isFinal(ClassPool.Declared method) {
    int fixed = Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
    return (method.method().access & fixed) != 0
        || (method.owner().access & Opcodes.ACC_FINAL) != 0;
  }

  private static boolean handsOnKey(MethodInsnNode call) {
    if (call.owner.equals("org/apache/hadoop/mapred/RecordReader")) {
      return call.name.equals("next");
    }
    return isMapFunction(call.name, call.desc) && call.getOpcode() != Opcodes.INVOKESTATIC;
  }

  private FlowValue callResult(MethodInsnNode call, List<? extends FlowValue> arguments) {
    if (keyIsPosition && returnsKey(call)) {
      return FlowValue.position("the current key");
    }
    Type type = Type.getReturnType(call.desc);
    if (type.equals(Type.VOID_TYPE)) {
      return null;
    }
    if (!ClassPool.canHoldState(type)) {
      return FlowValue.ofSize(type.getSize());
    }
    if (scope.isRead(call.owner)) {
      MethodKey callee = new MethodKey(call.owner, call.name, call.desc);
      Set<Origin> origins = new HashSet<>();
      origins.add(new Origin.Result(callee));
      if (call.getOpcode() != Opcodes.INVOKESTATIC) {
        // Inherited from a library, a getter may still hand out a part of its receiver.
        origins.addAll(libraryPart(callee, arguments));
        pool.findMethod(call.owner, call.name, call.desc)
            .flatMap(pool::fieldGivenBy)
            .ifPresent(
                field -> {
                  origins.addAll(arguments.get(0).origins());
                  origins.add(pool.instanceField(field));
                });
      }
      return FlowValue.from(Set.copyOf(origins));
    }
    if (access.listsCacheFiles(call.owner, call.name, call.desc)) {
      return FlowValue.from(Set.of(new Origin.CacheFileArray()));
    }
    if (isFresh(call, type)) {
      return FlowValue.UNKNOWN;
    }
    // A library may hand out a part of the receiver (an iterator) or wrap its arguments in a view;
    // arguments of instance methods are what is looked up.
    if (call.getOpcode() != Opcodes.INVOKESTATIC) {
      return FlowValue.from(arguments.get(0).origins());
    }
    Set<Origin> origins = Set.of();
    for (FlowValue argument : arguments) {
      origins = FlowValue.union(origins, argument.origins());
    }
    return FlowValue.from(origins);
  }

  /** Whether a library method makes its result anew; what a copied container holds is let pass. */
  private static boolean isFresh(MethodInsnNode call, Type type) {
    if (type.getSort() == Type.ARRAY && type.getElementType().getSort() != Type.OBJECT) {
      return !call.name.equals("array");
    }
    return COPYING_CALLS.contains(call.name);
  }

  private Set<Origin> libraryPart(MethodKey callee, List<? extends FlowValue> arguments) {
    boolean inherited =
        pool.findMethod(callee.owner(), callee.name(), callee.descriptor())
            .filter(m -> scope.isRead(m.owner().name))
            .isEmpty();
    return inherited ? arguments.get(0).origins() : Set.of();
  }

  private boolean returnsKey(MethodInsnNode call) {
    if (call.owner.equals("org/apache/hadoop/mapred/RecordReader")) {
      return call.name.equals("createKey");
    }
    return call.name.equals("getCurrentKey")
        && call.desc.equals("()Ljava/lang/Object;")
        && pool.isSubtype(call.owner, "org/apache/hadoop/mapreduce/TaskInputOutputContext")
        && !pool.isSubtype(call.owner, "org/apache/hadoop/mapreduce/ReduceContext");
  }

  private void use(FlowValue value) {
    if (value.position() != null) {
      findings.position(method.display() + " reads " + value.position());
    }
  }

  @Override
  public void returnOperation(AbstractInsnNode insn, FlowValue value, FlowValue expected) {
    // The instruction was seen by unaryOperation already.
  }

  @Override
  public FlowValue merge(FlowValue value, FlowValue other) {
    return value.join(other);
  }

  private static Origin lambda(Handle body, int captured) {
    return new Origin.Lambda(
        new MethodKey(body.getOwner(), body.getName(), body.getDesc()),
        body.getTag() == Opcodes.H_INVOKESTATIC,
        captured);
  }

  /** The handle of the body of a lambda or method reference, or null if there is none. */
  static Handle lambdaBody(InvokeDynamicInsnNode indy) {
    boolean lambda = indy.bsm.getOwner().equals("java/lang/invoke/LambdaMetafactory");
    return lambda && indy.bsmArgs[1] instanceof Handle handle ? handle : null;
  }

  private static boolean isKotlinNullCheck(MethodInsnNode call) {
    return call.owner.equals("kotlin/jvm/internal/Intrinsics")
        && KOTLIN_NULL_CHECKS.contains(call.name);
  }
}
