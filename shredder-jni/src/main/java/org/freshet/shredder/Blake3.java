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
package org.freshet.shredder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * BLAKE3 in Java, one block after the other. The input is divided into leaves of 1024 bytes (which
 * BLAKE3 calls chunks), above which a binary tree is built whose left subtrees are complete.
 */
final class Blake3 implements RunningDigest {
  private static final int LEAF = 1024;
  private static final int BLOCK = 64;
  private static final int WORDS = 8;

  /** A stack as high as this holds the subtrees of any input whose length fits in 64 bits. */
  private static final int MOST_HEIGHT = 54;

  private static final int CHUNK_START = 1;
  private static final int CHUNK_END = 2;
  private static final int PARENT = 4;
  private static final int ROOT = 8;

  private static final int[] INITIAL = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
  };

  private static final int[] ORDER = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};

  /** In which order the block's words are mixed, for each of the 7 rounds. */
  private static final int[][] ORDERS = orders();

  /** Of complete subtrees, the largest first: one for each bit of the number of leaves. */
  private final int[][] stack = new int[MOST_HEIGHT][WORDS];

  /** Complete leaves before that which has been begun. */
  private long leaves;

  /** Of the leaf begun. */
  private int[] chain = INITIAL.clone();

  private int blocksTaken;
  private final byte[] block = new byte[BLOCK];
  private final ByteBuffer blockWords = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
  private int buffered;

  private final int[] words = new int[16];
  private final int[] v = new int[16];

  private static int[][] orders() {
    int[][] orders = new int[7][16];
    for (int i = 0; i < 16; i++) {
      orders[0][i] = i;
    }
    for (int round = 1; round < 7; round++) {
      for (int i = 0; i < 16; i++) {
        orders[round][i] = orders[round - 1][ORDER[i]];
      }
    }
    return orders;
  }

  @Override
  public void update(ChunkDigester.Piece piece) {
    ByteBuffer bytes = piece.bytes().duplicate().clear();
    int at = piece.from();
    while (at < piece.to()) {
      // What is full waits until there is more: the last block of a leaf, and of all, is told so.
      if (buffered == BLOCK) {
        takeBlock();
      }
      int some = Math.min(BLOCK - buffered, piece.to() - at);
      bytes.get(at, block, buffered, some);
      buffered += some;
      at += some;
    }
  }

  /** The buffered block, behind which there is more. */
  private void takeBlock() {
    boolean last = blocksTaken == LEAF / BLOCK - 1;
    blockWords.asIntBuffer().get(words);
    compress(chain, leaves, BLOCK, startFlag() | (last ? CHUNK_END : 0));
    blocksTaken++;
    buffered = 0;
    if (last) {
      pushLeaf();
    }
  }

  private int startFlag() {
    return blocksTaken == 0 ? CHUNK_START : 0;
  }

  private void pushLeaf() {
    int[] node = chain;
    int height = Long.bitCount(leaves);
    leaves++;
    // A subtree of each size that the new leaf completes.
    for (long complete = leaves; (complete & 1) == 0; complete >>= 1) {
      height--;
      node = parent(stack[height], node, 0);
    }
    stack[height] = node;
    chain = INITIAL.clone();
    blocksTaken = 0;
  }

  private int[] parent(int[] left, int[] right, int root) {
    System.arraycopy(left, 0, words, 0, WORDS);
    System.arraycopy(right, 0, words, WORDS, WORDS);
    int[] node = INITIAL.clone();
    compress(node, 0, BLOCK, PARENT | root);
    return node;
  }

  @Override
  public byte[] end() {
    Arrays.fill(block, buffered, BLOCK, (byte) 0);
    blockWords.asIntBuffer().get(words);
    int height = Long.bitCount(leaves);
    compress(chain, leaves, buffered, startFlag() | CHUNK_END | (height == 0 ? ROOT : 0));
    int[] node = chain;
    while (height > 0) {
      height--;
      node = parent(stack[height], node, height == 0 ? ROOT : 0);
    }
    ByteBuffer digest = ByteBuffer.allocate(DigestAlgorithm.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    digest.asIntBuffer().put(node);
    chain = INITIAL.clone();
    leaves = 0;
    blocksTaken = 0;
    buffered = 0;
    return digest.array();
  }

  /** Mixes {@link #words} into {@code into}. */
  private void compress(int[] into, long counter, int length, int flags) {
    System.arraycopy(into, 0, v, 0, WORDS);
    System.arraycopy(INITIAL, 0, v, WORDS, 4);
    v[12] = (int) counter;
    v[13] = (int) (counter >>> 32);
    v[14] = length;
    v[15] = flags;
    for (int[] order : ORDERS) {
      mix(0, 4, 8, 12, words[order[0]], words[order[1]]);
      mix(1, 5, 9, 13, words[order[2]], words[order[3]]);
      mix(2, 6, 10, 14, words[order[4]], words[order[5]]);
      mix(3, 7, 11, 15, words[order[6]], words[order[7]]);
      mix(0, 5, 10, 15, words[order[8]], words[order[9]]);
      mix(1, 6, 11, 12, words[order[10]], words[order[11]]);
      mix(2, 7, 8, 13, words[order[12]], words[order[13]]);
      mix(3, 4, 9, 14, words[order[14]], words[order[15]]);
    }
    for (int i = 0; i < WORDS; i++) {
      into[i] = v[i] ^ v[WORDS + i];
    }
  }

  private void mix(int a, int b, int c, int d, int x, int y) {
    v[a] += v[b] + x;
    v[d] = Integer.rotateRight(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = Integer.rotateRight(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = Integer.rotateRight(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = Integer.rotateRight(v[b] ^ v[c], 7);
  }
}
