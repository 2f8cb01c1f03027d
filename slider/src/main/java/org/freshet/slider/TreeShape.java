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
package org.freshet.slider;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The shape of a contraction tree: which members are combined into which node, and each node's id.
 * A value: immutable, safe to share between threads.
 *
 * <p>Members are numbered. 0 to {@code leafCount() - 1} are the leaves in their order; the nodes
 * follow, children always before their parents. Read from left to right, the leaves below {@link
 * #rootChildren()} are exactly the leaves of the tree, each once and in order.
 *
 * <p>The root is no node of {@link #nodes()}: its combine belongs to the consumer, for Reduce
 * merges the root's children anyway and never needs them combined beforehand.
 *
 * <p>A node's id says what is below it and nothing else: equal children in equal order give an
 * equal id wherever they stand. Where the leaves repeat, so may nodes; the first of them to be made
 * serves the others too.
 */
public final class TreeShape {
  private static final byte[] NODE_TAG = "freshet/tree-node/1".getBytes(StandardCharsets.US_ASCII);

  private final Digest[] leaves;
  private final Digest[] nodeIds;
  private final byte[] levels;

  /** Children of node {@code n} are {@code children[childStart[n]]} to {@code childStart[n+1]}. */
  private final int[] childStart;

  private final int[] children;
  private final int[] rootChildren;
  private final Digest rootId;

  private TreeShape(Builder from, int[] rootChildren, Digest rootId) {
    this.leaves = from.leaves;
    this.nodeIds = Arrays.copyOf(from.nodeIds, from.nodeCount);
    this.levels = Arrays.copyOf(from.levels, from.nodeCount);
    this.childStart = Arrays.copyOf(from.childStart, from.nodeCount + 1);
    this.children = Arrays.copyOf(from.children, from.childStart[from.nodeCount]);
    this.rootChildren = rootChildren;
    this.rootId = rootId;
  }

  /** One combine of the tree. The caller owns the array it is given. */
  public static final class Node {
    private final Digest id;
    private final int level;
    private final int[] children;

    private Node(Digest id, int level, int[] children) {
      this.id = id;
      this.level = level;
      this.children = children;
    }

    /** Digest of the children's ids. */
    public Digest id() {
      return id;
    }

    /** The pass in which this node was formed: 1 for a group of leaves. */
    public int level() {
      return level;
    }

    /** Member numbers of the children from left to right; at least two. */
    public int[] children() {
      return children.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Node that
          && level == that.level
          && id.equals(that.id)
          && Arrays.equals(children, that.children);
    }

    @Override
    public int hashCode() {
      return id.hashCode();
    }

    @Override
    public String toString() {
      return "Node[" + id.shortHex() + ", level " + level + ", " + Arrays.toString(children) + "]";
    }
  }

  /** Number of leaves. */
  public int leafCount() {
    return leaves.length;
  }

  /** The ids of the leaves, in order; cannot be changed. */
  public List<Digest> leaves() {
    return new MemberList<>(leaves.length) {
      @Override
      Digest at(int index) {
        return leaves[index];
      }
    };
  }

  /** The nodes below the root, children before parents; cannot be changed, made when asked for. */
  public List<Node> nodes() {
    return new MemberList<>(nodeIds.length) {
      @Override
      Node at(int n) {
        return new Node(
            nodeIds[n], levels[n], Arrays.copyOfRange(children, childStart[n], childStart[n + 1]));
      }
    };
  }

  /** Number of nodes below the root. */
  public int nodeCount() {
    return nodeIds.length;
  }

  /**
   * The id of a leaf or node.
   *
   * @throws IndexOutOfBoundsException if there is no such member
   */
  public Digest id(int member) {
    Objects.checkIndex(member, leaves.length + nodeIds.length);
    return member < leaves.length ? leaves[member] : nodeIds[member - leaves.length];
  }

  /** Members that make up the root: a single leaf is its own root's child, no leaves give none. */
  public int[] rootChildren() {
    return rootChildren.clone();
  }

  /**
   * The id of the root, computed from its children as a node's is. A single child and no child at
   * all have ids of their own too.
   */
  public Digest rootId() {
    return rootId;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TreeShape that
        && rootId.equals(that.rootId)
        && Arrays.equals(leaves, that.leaves)
        && Arrays.equals(childStart, that.childStart)
        && Arrays.equals(children, that.children)
        && Arrays.equals(rootChildren, that.rootChildren)
        && Arrays.equals(levels, that.levels);
  }

  @Override
  public int hashCode() {
    return rootId.hashCode();
  }

  @Override
  public String toString() {
    return "TreeShape["
        + leaves.length
        + " leaves, "
        + nodeIds.length
        + " nodes, root "
        + rootId.shortHex()
        + "]";
  }

  private abstract static class MemberList<T> extends AbstractList<T> implements RandomAccess {
    private final int size;

    MemberList(int size) {
      this.size = size;
    }

    abstract T at(int index);

    @Override
    public T get(int index) {
      return at(Objects.checkIndex(index, size));
    }

    @Override
    public int size() {
      return size;
    }
  }

  /** Collects the nodes of one tree, bottom-up. For one thread and one tree. */
  static final class Builder {
    private final MessageDigest sha = Digest.newSha256();
    private final Digest[] leaves;
    private ByteBuffer hashed = ByteBuffer.allocate(1024);
    private Digest[] nodeIds;
    private byte[] levels;
    private int[] childStart;
    private int[] children;
    private int nodeCount;

    Builder(List<Digest> leaves) {
      this.leaves = leaves.toArray(new Digest[0]);
      int nodes = Math.max(4, this.leaves.length / 4);
      nodeIds = new Digest[nodes];
      levels = new byte[nodes];
      childStart = new int[nodes + 1];
      children = new int[Math.max(8, this.leaves.length)];
    }

    /** Makes {@code members[from]} to {@code members[to - 1]} a node and gives its number. */
    int addNode(int level, int[] members, int from, int to) {
      if (nodeCount == nodeIds.length) {
        int nodes = grown(nodeCount);
        nodeIds = Arrays.copyOf(nodeIds, nodes);
        levels = Arrays.copyOf(levels, nodes);
        childStart = Arrays.copyOf(childStart, nodes + 1);
      }
      int start = childStart[nodeCount];
      int end = start + (to - from);
      if (end > children.length) {
        children = Arrays.copyOf(children, Math.max(end, grown(children.length)));
      }
      System.arraycopy(members, from, children, start, to - from);
      nodeIds[nodeCount] = combinedId(members, from, to);
      levels[nodeCount] = (byte) level;
      childStart[nodeCount + 1] = end;
      return leaves.length + nodeCount++;
    }

    /** The tree whose root combines {@code rootChildren}. */
    TreeShape finish(int[] rootChildren) {
      return new TreeShape(this, rootChildren, combinedId(rootChildren, 0, rootChildren.length));
    }

    Digest id(int member) {
      return member < leaves.length ? leaves[member] : nodeIds[member - leaves.length];
    }

    private Digest combinedId(int[] members, int from, int to) {
      int length = NODE_TAG.length + Integer.BYTES + (to - from) * Digest.BYTES;
      if (hashed.capacity() < length) {
        hashed = ByteBuffer.allocate(length);
      }
      hashed.clear().put(NODE_TAG).putInt(to - from);
      for (int i = from; i < to; i++) {
        id(members[i]).put(hashed);
      }
      sha.update(hashed.flip());
      return Digest.finish(sha);
    }

    private static int grown(int size) {
      return size + (size >> 1);
    }
  }
}
