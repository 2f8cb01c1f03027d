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
import java.nio.IntBuffer;
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

  private static final int ROUNDS = 7;

  /** Of complete subtrees, the largest first: one for each bit of the number of leaves. */
  private final int[][] stack = new int[MOST_HEIGHT][];

  /** Complete leaves before that which has been begun. */
  private long leaves;

  /** Of the leaf begun. */
  private int[] chain = INITIAL.clone();

  private int blocksTaken;
  private final byte[] block = new byte[BLOCK];
  private final IntBuffer blockWords =
      ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
  private int buffered;

  private final int[] words = new int[16];

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
    blockWords.get(0, words);
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
    blockWords.get(0, words);
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

  /**
   * Mixes {@link #words} into {@code into}. All in local variables, which the compiler keeps in
   * registers as far as there are any: with arrays it takes twice as long.
   */
  private void compress(int[] into, long counter, int length, int flags) {
    int v0 = into[0];
    int v1 = into[1];
    int v2 = into[2];
    int v3 = into[3];
    int v4 = into[4];
    int v5 = into[5];
    int v6 = into[6];
    int v7 = into[7];
    int v8 = INITIAL[0];
    int v9 = INITIAL[1];
    int v10 = INITIAL[2];
    int v11 = INITIAL[3];
    int v12 = (int) counter;
    int v13 = (int) (counter >>> 32);
    int v14 = length;
    int v15 = flags;
    int m0 = words[0];
    int m1 = words[1];
    int m2 = words[2];
    int m3 = words[3];
    int m4 = words[4];
    int m5 = words[5];
    int m6 = words[6];
    int m7 = words[7];
    int m8 = words[8];
    int m9 = words[9];
    int m10 = words[10];
    int m11 = words[11];
    int m12 = words[12];
    int m13 = words[13];
    int m14 = words[14];
    int m15 = words[15];
    for (int round = 0; round < ROUNDS; round++) {
      // Columns.
      v0 += v4 + m0;
      v12 = Integer.rotateRight(v12 ^ v0, 16);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 12);
      v0 += v4 + m1;
      v12 = Integer.rotateRight(v12 ^ v0, 8);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 7);
      v1 += v5 + m2;
      v13 = Integer.rotateRight(v13 ^ v1, 16);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 12);
      v1 += v5 + m3;
      v13 = Integer.rotateRight(v13 ^ v1, 8);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 7);
      v2 += v6 + m4;
      v14 = Integer.rotateRight(v14 ^ v2, 16);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 12);
      v2 += v6 + m5;
      v14 = Integer.rotateRight(v14 ^ v2, 8);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 7);
      v3 += v7 + m6;
      v15 = Integer.rotateRight(v15 ^ v3, 16);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 12);
      v3 += v7 + m7;
      v15 = Integer.rotateRight(v15 ^ v3, 8);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 7);
      // Diagonals.
      v0 += v5 + m8;
      v15 = Integer.rotateRight(v15 ^ v0, 16);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 12);
      v0 += v5 + m9;
      v15 = Integer.rotateRight(v15 ^ v0, 8);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 7);
      v1 += v6 + m10;
      v12 = Integer.rotateRight(v12 ^ v1, 16);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 12);
      v1 += v6 + m11;
      v12 = Integer.rotateRight(v12 ^ v1, 8);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 7);
      v2 += v7 + m12;
      v13 = Integer.rotateRight(v13 ^ v2, 16);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 12);
      v2 += v7 + m13;
      v13 = Integer.rotateRight(v13 ^ v2, 8);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 7);
      v3 += v4 + m14;
      v14 = Integer.rotateRight(v14 ^ v3, 16);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 12);
      v3 += v4 + m15;
      v14 = Integer.rotateRight(v14 ^ v3, 8);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 7);
      // The block's words in the next round's order: two cycles of 8.
      int m0Before = m0;
      m0 = m2;
      m2 = m3;
      m3 = m10;
      m10 = m12;
      m12 = m9;
      m9 = m11;
      m11 = m5;
      m5 = m0Before;
      int m1Before = m1;
      m1 = m6;
      m6 = m4;
      m4 = m7;
      m7 = m13;
      m13 = m14;
      m14 = m15;
      m15 = m8;
      m8 = m1Before;
    }
    into[0] = v0 ^ v8;
    into[1] = v1 ^ v9;
    into[2] = v2 ^ v10;
    into[3] = v3 ^ v11;
    into[4] = v4 ^ v12;
    into[5] = v5 ^ v13;
    into[6] = v6 ^ v14;
    into[7] = v7 ^ v15;
  }
}
