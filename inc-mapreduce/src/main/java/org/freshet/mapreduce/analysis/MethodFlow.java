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
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * What a method does with instance fields and the objects they hold, instruction by instruction,
 * and how control goes from one to the next: what {@link MapperState} reasons about.
 */
final class MethodFlow {

  /** Something that an instruction does. */
  sealed interface Event {}

  /** Takes the value of a field, of an object that may come from {@code holder}. */
  record Read(Origin.InstanceField field, Set<Origin> holder) implements Event {}

  /** Gives a field a value: one of its own, or what it was and something added to it. */
  record Write(Origin.InstanceField field, Set<Origin> holder, boolean replaces) implements Event {}

  /** Does something with an object that may come from {@code origins}. */
  record Content(Set<Origin> origins, Access access) implements Event {}

  /**
   * Calls a method, or makes a lambda that may be called.
   *
   * @param isSure whether it is called here
   */
  record Calls(MethodKey site, boolean isSure) implements Event {}

  /**
   * Makes an object.
   *
   * @param isRepeated whether the instruction may run several times in one call
   */
  record Makes(String type, boolean isRepeated) implements Event {}

  /** Gives the job's output a record. */
  record Emits() implements Event {}

  /** How an object is accessed. */
  enum Access {
    /** Its content may be looked at, now or later. */
    USES,
    /** Its content is replaced. */
    OVERWRITES
  }

  private static final String WRITABLE = "org/apache/hadoop/io/Writable";

  /** Methods that the framework calls once for each mapper, and not for each record. */
  private static final Set<String> ONCE = Set.of("setup", "cleanup", "configure", "close");

  private static final Pattern SETTER = Pattern.compile("set.*");
  private static final Set<String> RESETS = Set.of("clear", "reset");

  private final MethodKey method;
  private final List<List<Event>> events = new ArrayList<>();
  private final BitSet[] successors;
  private final BitSet[] handlers;
  private final BitSet returns = new BitSet();
  private final Set<AbstractInsnNode> sums = new HashSet<>();
  private final boolean isGetter;
  private boolean fetchesRecords;

  /**
   * Reads a method.
   *
   * @param frames what is known before each instruction; null where it can't be reached
   * @param successors the instructions that may come after each one
   * @param handlers where an exception in it may lead to
   */
  MethodFlow(
      ClassPool pool,
      CodeScope scope,
      ClassPool.Declared declared,
      Frame<FlowValue>[] frames,
      BitSet[] successors,
      BitSet[] handlers) {
    method = declared.key();
    this.successors = successors;
    this.handlers = handlers;
    isGetter = pool.fieldGivenBy(declared).isPresent();
    int index = 0;
    for (AbstractInsnNode insn : declared.method().instructions) {
      Frame<FlowValue> frame = frames[index++];
      List<Event> done = new ArrayList<>();
      if (frame != null && insn.getOpcode() >= 0) {
        read(pool, scope, insn, index - 1, frame, done);
      }
      if (insn.getOpcode() >= Opcodes.IRETURN && insn.getOpcode() <= Opcodes.RETURN) {
        returns.set(index - 1);
      }
      events.add(done);
    }
  }

  MethodKey method() {
    return method;
  }

  /** By instruction, in their order. */
  List<List<Event>> events() {
    return events;
  }

  BitSet successors(int instruction) {
    return successors[instruction];
  }

  BitSet handlers(int instruction) {
    return handlers[instruction];
  }

  boolean returns(int instruction) {
    return returns.get(instruction);
  }

  /** Whether a call is one that a run loop makes once, and not for each record. */
  boolean isOnce(Calls call) {
    return fetchesRecords && ONCE.contains(call.site().name());
  }

  /** Whether the method itself goes from record to record. */
  boolean fetchesRecords() {
    return fetchesRecords;
  }

  private void read(
      ClassPool pool,
      CodeScope scope,
      AbstractInsnNode insn,
      int at,
      Frame<FlowValue> frame,
      List<Event> done) {
    switch (insn.getOpcode()) {
      case Opcodes.GETFIELD -> {
        AbstractInsnNode sum = addsTo((FieldInsnNode) insn);
        if (sum == null) {
          done.add(new Read(pool.instanceField((FieldInsnNode) insn), fromTop(frame, 0).origins()));
        } else {
          sums.add(sum);
        }
      }
      case Opcodes.PUTFIELD -> {
        uses(fromTop(frame, 0), done);
        Set<Origin> holder = fromTop(frame, 1).origins();
        done.add(new Write(pool.instanceField((FieldInsnNode) insn), holder, !sums.contains(insn)));
        done.add(new Content(holder, Access.OVERWRITES));
      }
      case Opcodes.NEW -> done.add(new Makes(((TypeInsnNode) insn).desc, isRepeated(at)));
      case Opcodes.ARETURN -> {
        if (!isGetter) {
          uses(fromTop(frame, 0), done);
        }
      }
      case Opcodes.PUTSTATIC, Opcodes.AASTORE -> uses(fromTop(frame, 0), done);
      case Opcodes.IALOAD,
          Opcodes.LALOAD,
          Opcodes.FALOAD,
          Opcodes.DALOAD,
          Opcodes.AALOAD,
          Opcodes.BALOAD,
          Opcodes.CALOAD,
          Opcodes.SALOAD ->
          uses(fromTop(frame, 1), done);
      case Opcodes.INVOKEVIRTUAL,
          Opcodes.INVOKESPECIAL,
          Opcodes.INVOKESTATIC,
          Opcodes.INVOKEINTERFACE ->
          call(pool, scope, (MethodInsnNode) insn, frame, done);
      case Opcodes.INVOKEDYNAMIC -> {
        InvokeDynamicInsnNode indy = (InvokeDynamicInsnNode) insn;
        int captured = Type.getArgumentCount(indy.desc);
        for (int i = 0; i < captured; i++) {
          uses(fromTop(frame, i), done);
        }
        Handle body = FlowInterpreter.lambdaBody(indy);
        if (body != null) {
          MethodKey called = new MethodKey(body.getOwner(), body.getName(), body.getDesc());
          done.add(new Calls(called, false));
          if (emits(pool, called)) {
            done.add(new Emits());
          }
        }
      }
      default -> {}
    }
  }

  private void call(
      ClassPool pool,
      CodeScope scope,
      MethodInsnNode call,
      Frame<FlowValue> frame,
      List<Event> done) {
    MethodKey callee = new MethodKey(call.owner, call.name, call.desc);
    int arguments = Type.getArgumentCount(call.desc);
    for (int i = 0; i < arguments; i++) {
      uses(fromTop(frame, i), done);
    }
    boolean isRead =
        scope.isRead(call.owner)
            && pool.findMethod(call.owner, call.name, call.desc)
                .filter(m -> scope.isRead(m.owner().name))
                .isPresent();
    if (call.getOpcode() != Opcodes.INVOKESTATIC) {
      FlowValue receiver = fromTop(frame, arguments);
      if (overwrites(pool, call, isRead)) {
        done.add(new Content(receiver.origins(), Access.OVERWRITES));
      } else if (!isRead && !isOnlyAdded(call)) {
        uses(receiver, done);
      }
    }
    if (isRead) {
      done.add(new Calls(callee, true));
    }
    if (emits(pool, callee)) {
      done.add(new Emits());
    }
    fetchesRecords |=
        call.name.equals("nextKeyValue")
            || (call.name.equals("next")
                && call.owner.equals("org/apache/hadoop/mapred/RecordReader"));
  }

  private static boolean emits(ClassPool pool, MethodKey callee) {
    return (callee.name().equals("write")
            && pool.isSubtype(callee.owner(), "org/apache/hadoop/mapreduce/TaskInputOutputContext"))
        || (callee.name().equals("collect")
            && pool.isSubtype(callee.owner(), "org/apache/hadoop/mapred/OutputCollector"));
  }

  /**
   * Whether what the object held before is gone. Of a value with several setters each is taken to
   * set the whole of it: who uses one of them uses all, for each record.
   */
  private static boolean overwrites(ClassPool pool, MethodInsnNode call, boolean isRead) {
    if ((RESETS.contains(call.name) && call.desc.startsWith("()"))
        || call.name.equals("readFields")) {
      return true;
    }
    if (call.name.equals("setLength")) {
      AbstractInsnNode length = call.getPrevious();
      return length != null && length.getOpcode() == Opcodes.ICONST_0;
    }
    boolean isValue =
        isRead
            || (pool.isSubtype(call.owner, WRITABLE)
                && !pool.isSubtype(call.owner, "java/util/Map")
                && !pool.isSubtype(call.owner, "java/util/Collection"));
    return isValue && SETTER.matcher(call.name).matches();
  }

  /** Whether something is put into the object and nothing of it is looked at. */
  private static boolean isOnlyAdded(MethodInsnNode call) {
    AbstractInsnNode next = call.getNext();
    boolean dropped =
        call.desc.endsWith(")V")
            || (next != null
                && (next.getOpcode() == Opcodes.POP || next.getOpcode() == Opcodes.POP2));
    return dropped && StaticState.MUTATING_CALL.matcher(call.name).matches();
  }

  /**
   * The instruction that puts back what a field is read for only to be added to ({@code count++},
   * {@code sum += length}), or null if the read is for something else.
   */
  private static AbstractInsnNode addsTo(FieldInsnNode read) {
    if (!isTakenTwice(read.getPrevious())) {
      return null;
    }
    for (AbstractInsnNode at = read.getNext(); at != null; at = at.getNext()) {
      boolean copies = at.getOpcode() >= Opcodes.DUP && at.getOpcode() <= Opcodes.DUP2_X2;
      if (copies
          || at.getType() == AbstractInsnNode.JUMP_INSN
          || at.getType() == AbstractInsnNode.LABEL) {
        return null;
      }
      if (at.getOpcode() == Opcodes.PUTFIELD) {
        FieldInsnNode write = (FieldInsnNode) at;
        int sum = write.getPrevious().getOpcode();
        boolean adds =
            write.owner.equals(read.owner)
                && write.name.equals(read.name)
                && sum >= Opcodes.IADD
                && sum <= Opcodes.DSUB;
        return adds ? write : null;
      }
    }
    return null;
  }

  /** The object whose field is read, and then written: {@code dup}, or loaded twice. */
  private static boolean isTakenTwice(AbstractInsnNode holder) {
    if (holder == null || holder.getOpcode() == Opcodes.DUP) {
      return holder != null;
    }
    return holder.getOpcode() == Opcodes.ALOAD
        && holder.getPrevious() instanceof VarInsnNode before
        && before.getOpcode() == Opcodes.ALOAD
        && before.var == ((VarInsnNode) holder).var;
  }

  private boolean isRepeated(int instruction) {
    BitSet seen = new BitSet();
    BitSet open = (BitSet) successors[instruction].clone();
    while (!open.isEmpty() && !seen.get(instruction)) {
      int at = open.nextSetBit(0);
      open.clear(at);
      seen.set(at);
      BitSet next = (BitSet) successors[at].clone();
      next.andNot(seen);
      open.or(next);
    }
    return seen.get(instruction);
  }

  private static void uses(FlowValue value, List<Event> done) {
    if (!value.origins().isEmpty()) {
      done.add(new Content(value.origins(), Access.USES));
    }
  }

  private static FlowValue fromTop(Frame<FlowValue> frame, int depth) {
    return frame.getStack(frame.getStackSize() - 1 - depth);
  }
}
