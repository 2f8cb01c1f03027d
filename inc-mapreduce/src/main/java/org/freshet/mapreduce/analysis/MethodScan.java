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
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;

/** Reads one method and tells {@link Reachability} what it does, instruction by instruction. */
final class MethodScan {

  /** Callees whose class argument is only a label. */
  private static final Set<String> LABELLING_CALLS =
      Set.of("getLogger", "getLog", "desiredAssertionStatus", "getName", "getSimpleName");

  private final Reachability reachability;
  private final StaticState statics;
  private final CacheFlow cacheFlow;
  private final MethodKey method;
  private final Phase phase;

  MethodScan(
      Reachability reachability,
      StaticState statics,
      CacheFlow cacheFlow,
      MethodKey method,
      Phase phase) {
    this.reachability = reachability;
    this.statics = statics;
    this.cacheFlow = cacheFlow;
    this.method = method;
    this.phase = phase;
  }

  void run(ClassPool.Declared declared, FlowInterpreter interpreter) throws AnalyzerException {
    int instructions = declared.method().instructions.size();
    BitSet[] successors = new BitSet[instructions];
    BitSet[] handlers = new BitSet[instructions];
    for (int i = 0; i < instructions; i++) {
      successors[i] = new BitSet();
      handlers[i] = new BitSet();
    }
    Analyzer<FlowValue> analyzer =
        new Analyzer<>(interpreter) {
          @Override
          protected void newControlFlowEdge(int from, int to) {
            successors[from].set(to);
          }

          @Override
          protected boolean newControlFlowExceptionEdge(int from, int to) {
            handlers[from].set(to);
            return true;
          }
        };
    Frame<FlowValue>[] frames = analyzer.analyze(declared.owner().name, declared.method());
    reachability.flows(declared, frames, successors, handlers, phase);
    int index = 0;
    for (AbstractInsnNode insn : declared.method().instructions) {
      Frame<FlowValue> frame = frames[index++];
      // Unreachable instructions and labels have nothing to tell.
      if (frame != null && insn.getOpcode() >= 0) {
        instruction(insn, frame);
      }
    }
  }

  private void instruction(AbstractInsnNode insn, Frame<FlowValue> frame) {
    switch (insn.getOpcode()) {
      case Opcodes.NEW -> reachability.instantiate(((TypeInsnNode) insn).desc, method);
      case Opcodes.LDC -> literal((LdcInsnNode) insn);
      case Opcodes.GETSTATIC -> reachability.readStatic((FieldInsnNode) insn, method);
      case Opcodes.PUTSTATIC ->
          reachability.writeStatic((FieldInsnNode) insn, fromTop(frame, 0), method, phase);
      case Opcodes.GETFIELD -> statics.load(fromTop(frame, 0).origins(), method);
      case Opcodes.PUTFIELD -> {
        FieldInsnNode access = (FieldInsnNode) insn;
        store(fromTop(frame, 1));
        statics.flow(fromTop(frame, 0).origins(), reachability.instanceField(access));
        reachability.writeField(access, fromTop(frame, 0));
      }
      case Opcodes.IASTORE,
          Opcodes.LASTORE,
          Opcodes.FASTORE,
          Opcodes.DASTORE,
          Opcodes.BASTORE,
          Opcodes.CASTORE,
          Opcodes.SASTORE ->
          store(fromTop(frame, 2));
      case Opcodes.AASTORE -> {
        store(fromTop(frame, 2));
        reachability.handOut(fromTop(frame, 0).cache(), "puts", "into an array", method);
      }
      case Opcodes.ARETURN -> {
        Origin result = new Origin.Result(method);
        statics.flow(fromTop(frame, 0).origins(), result);
        cacheFlow.flow(fromTop(frame, 0).cache(), new CacheTerm.Held(result));
      }
      case Opcodes.INVOKEVIRTUAL,
          Opcodes.INVOKESPECIAL,
          Opcodes.INVOKESTATIC,
          Opcodes.INVOKEINTERFACE -> {
        MethodInsnNode call = (MethodInsnNode) insn;
        boolean isStatic = call.getOpcode() == Opcodes.INVOKESTATIC;
        int count = Type.getArgumentCount(call.desc) + (isStatic ? 0 : 1);
        MethodKey callee = new MethodKey(call.owner, call.name, call.desc);
        reachability.call(
            new Reachability.Call(
                call.getOpcode(), callee, arguments(frame, count), method, phase));
      }
      case Opcodes.INVOKEDYNAMIC -> dynamicCall((InvokeDynamicInsnNode) insn, frame);
      default -> {}
    }
  }

  private void store(FlowValue holder) {
    if (phase == Phase.RECORDS) {
      statics.store(holder.origins(), method);
    }
  }

  private void literal(LdcInsnNode insn) {
    boolean label =
        insn.getNext() instanceof MethodInsnNode call && LABELLING_CALLS.contains(call.name);
    if (insn.cst instanceof Type type && type.getSort() == Type.OBJECT && !label) {
      // Whoever is handed a class may make instances of it.
      reachability.instantiateByName(type.getInternalName(), method);
      reachability.handOutClass(type.getInternalName());
    } else if (insn.cst instanceof Handle handle) {
      handleCall(handle, List.of());
    }
  }

  private void dynamicCall(InvokeDynamicInsnNode indy, Frame<FlowValue> frame) {
    List<FlowValue> captured = arguments(frame, Type.getArgumentCount(indy.desc));
    Handle body = FlowInterpreter.lambdaBody(indy);
    for (Object argument : indy.bsmArgs) {
      if (argument instanceof Handle handle) {
        handleCall(handle, handle.equals(body) ? captured : List.of());
      }
    }
    if (body == null) {
      for (FlowValue value : captured) {
        reachability.handOut(value.cache(), "hands", "to generated code", method);
        statics.load(value.origins(), method);
      }
    } else {
      MethodKey interfaceMethod =
          new MethodKey(
              Type.getReturnType(indy.desc).getInternalName(),
              indy.name,
              ((Type) indy.bsmArgs[0]).getDescriptor());
      reachability.bindLambda(
          interfaceMethod,
          new MethodKey(body.getOwner(), body.getName(), body.getDesc()),
          captured.size());
    }
    if (!indy.bsm.getOwner().startsWith("java/lang/")) {
      handleCall(indy.bsm, List.of());
    }
  }

  /**
   * A body behind a handle may be called at any time, with unknown arguments after the captured.
   */
  private void handleCall(Handle handle, List<FlowValue> captured) {
    int opcode =
        switch (handle.getTag()) {
          case Opcodes.H_INVOKESTATIC -> Opcodes.INVOKESTATIC;
          case Opcodes.H_INVOKEVIRTUAL -> Opcodes.INVOKEVIRTUAL;
          case Opcodes.H_INVOKEINTERFACE -> Opcodes.INVOKEINTERFACE;
          case Opcodes.H_INVOKESPECIAL, Opcodes.H_NEWINVOKESPECIAL -> Opcodes.INVOKESPECIAL;
          default -> -1;
        };
    if (opcode < 0) {
      // A handle on a field, as records use them for equals and hashCode.
      return;
    }
    List<FlowValue> arguments = new ArrayList<>(captured);
    if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
      reachability.instantiate(handle.getOwner(), method);
      arguments.add(0, FlowValue.UNKNOWN);
    }
    int count = Type.getArgumentCount(handle.getDesc()) + (opcode == Opcodes.INVOKESTATIC ? 0 : 1);
    while (arguments.size() < count) {
      arguments.add(FlowValue.UNKNOWN);
    }
    MethodKey callee = new MethodKey(handle.getOwner(), handle.getName(), handle.getDesc());
    reachability.call(
        new Reachability.Call(opcode, callee, List.copyOf(arguments), method, Phase.RECORDS));
    reachability.referTo(callee, method);
  }

  private static FlowValue fromTop(Frame<FlowValue> frame, int depth) {
    return frame.getStack(frame.getStackSize() - 1 - depth);
  }

  private static List<FlowValue> arguments(Frame<FlowValue> frame, int count) {
    List<FlowValue> values = new ArrayList<>(count);
    for (int i = count - 1; i >= 0; i--) {
      values.add(fromTop(frame, i));
    }
    return values;
  }
}
