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

import java.util.BitSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * Tells whether a method that goes from record to record keeps something in its local variables
 * from one to the next: one that lives where the next record is fetched, and that the loop changes
 * or whose object the method has made itself.
 */
final class LoopLocals {
  private final InsnList code;
  private final Frame<FlowValue>[] frames;
  private final BitSet[] successors;

  LoopLocals(InsnList code, Frame<FlowValue>[] frames, BitSet[] successors) {
    this.code = code;
    this.frames = frames;
    this.successors = successors;
  }

  boolean keepAny() {
    BitSet[] live = null;
    for (int at = 0; at < code.size(); at++) {
      if (frames[at] != null && fetches(code.get(at))) {
        BitSet loop = loopThrough(at);
        if (loop.get(at)) {
          live = live == null ? liveBefore() : live;
          if (keepsAny(at, loop, live[at])) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static boolean fetches(AbstractInsnNode insn) {
    return insn instanceof MethodInsnNode call
        && (call.name.equals("nextKeyValue") || isNext(call));
  }

  private static boolean isNext(MethodInsnNode call) {
    return call.name.equals("next") && call.owner.equals("org/apache/hadoop/mapred/RecordReader");
  }

  private boolean keepsAny(int fetch, BitSet loop, BitSet live) {
    Frame<FlowValue> frame = frames[fetch];
    for (int local = live.nextSetBit(0); local >= 0; local = live.nextSetBit(local + 1)) {
      if (isStored(local, loop)) {
        return true;
      }
      FlowValue value = frame.getLocal(local);
      boolean isMade = value.cache() instanceof CacheTerm.Made || isArray(local);
      if (isMade && !isHandedToNext(fetch, value)) {
        return true;
      }
    }
    return false;
  }

  private boolean isStored(int local, BitSet loop) {
    for (int at = loop.nextSetBit(0); at >= 0; at = loop.nextSetBit(at + 1)) {
      if (stored(code.get(at)) == local) {
        return true;
      }
    }
    return false;
  }

  private boolean isArray(int local) {
    for (AbstractInsnNode insn : code) {
      if (insn.getOpcode() == Opcodes.ASTORE && stored(insn) == local) {
        int made = insn.getPrevious() == null ? -1 : insn.getPrevious().getOpcode();
        if (made == Opcodes.NEWARRAY
            || made == Opcodes.ANEWARRAY
            || made == Opcodes.MULTIANEWARRAY) {
          return true;
        }
      }
    }
    return false;
  }

  /** The key and value objects are filled anew by each call. */
  private boolean isHandedToNext(int fetch, FlowValue value) {
    Frame<FlowValue> frame = frames[fetch];
    int top = frame.getStackSize();
    return isNext((MethodInsnNode) code.get(fetch))
        && (frame.getStack(top - 1).equals(value) || frame.getStack(top - 2).equals(value));
  }

  /** The instructions that lie on a way from one back to itself. */
  private BitSet loopThrough(int start) {
    BitSet loop = new BitSet();
    for (int at = 0; at < code.size(); at++) {
      if (frames[at] != null && reaches(start, at) && reaches(at, start)) {
        loop.set(at);
      }
    }
    return loop;
  }

  private boolean reaches(int from, int to) {
    BitSet seen = new BitSet();
    BitSet open = (BitSet) successors[from].clone();
    while (!open.isEmpty()) {
      int at = open.nextSetBit(0);
      open.clear(at);
      if (at == to) {
        return true;
      }
      if (!seen.get(at)) {
        seen.set(at);
        BitSet next = (BitSet) successors[at].clone();
        next.andNot(seen);
        open.or(next);
      }
    }
    return false;
  }

  private BitSet[] liveBefore() {
    BitSet[] live = new BitSet[code.size()];
    for (int at = 0; at < live.length; at++) {
      live[at] = new BitSet();
    }
    boolean grows = true;
    while (grows) {
      grows = false;
      for (int at = live.length - 1; at >= 0; at--) {
        BitSet now = new BitSet();
        for (int next = successors[at].nextSetBit(0);
            next >= 0;
            next = successors[at].nextSetBit(next + 1)) {
          now.or(live[next]);
        }
        AbstractInsnNode insn = code.get(at);
        int stored = stored(insn);
        if (stored >= 0) {
          now.clear(stored);
        }
        int loaded = loaded(insn);
        if (loaded >= 0) {
          now.set(loaded);
        }
        if (!now.equals(live[at])) {
          live[at] = now;
          grows = true;
        }
      }
    }
    return live;
  }

  private static int stored(AbstractInsnNode insn) {
    if (insn instanceof IincInsnNode increment) {
      return increment.var;
    }
    boolean stores = insn.getOpcode() >= Opcodes.ISTORE && insn.getOpcode() <= Opcodes.ASTORE;
    return stores ? ((VarInsnNode) insn).var : -1;
  }

  private static int loaded(AbstractInsnNode insn) {
    if (insn instanceof IincInsnNode increment) {
      return increment.var;
    }
    boolean loads = insn.getOpcode() >= Opcodes.ILOAD && insn.getOpcode() <= Opcodes.ALOAD;
    return loads ? ((VarInsnNode) insn).var : -1;
  }
}
