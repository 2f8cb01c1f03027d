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
package org.freshet.mapreduce.map;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Writable;
import org.freshet.slider.Digest;

/**
 * What one map task of a delta job works on: chunks, each to be mapped into a leaf of its own, and
 * the nodes of the contraction tree that lie wholly within the batch. Written into the split;
 * mutable only through {@link #readFields}.
 */
public final class Batch {
  /**
   * One chunk of the input.
   *
   * @param leaf the leaf's name
   * @param length input bytes
   * @param split the split of the original input format that covers just this chunk
   * @param files indexes into {@link #files()} of what the chunk is read from
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Chunk(Digest leaf, long length, Writable split, int[] files) {}

  /** A file and the version of its content that was planned with. */
  public record Source(String path, String version) {}

  private final List<Chunk> chunks = new ArrayList<>();
  private final List<Source> files = new ArrayList<>();
  private final List<int[]> nodes = new ArrayList<>();
  private final List<Digest> nodeIds = new ArrayList<>();
  private final List<Integer> shared = new ArrayList<>();

  /** Chunks in the order of their input. */
  public List<Chunk> chunks() {
    return chunks;
  }

  public List<Source> files() {
    return files;
  }

  /**
   * Nodes in bottom-up order. A member below the number of chunks is that chunk's leaf, others are
   * nodes of this list.
   */
  public List<int[]> nodes() {
    return nodes;
  }

  /** The nodes' ids. */
  public List<Digest> nodeIds() {
    return nodeIds;
  }

  /**
   * Members of nodes, numbered as in {@link #nodes()}, that are shipped all the same, since a
   * reduce reads them too.
   */
  public List<Integer> shared() {
    return shared;
  }

  /** Input bytes of all chunks. */
  public long length() {
    long sum = 0;
    for (Chunk chunk : chunks) {
      sum += chunk.length();
    }
    return sum;
  }

  void write(DataOutput out) throws IOException {
    out.writeInt(files.size());
    for (Source source : files) {
      out.writeUTF(source.path());
      out.writeUTF(source.version());
    }
    out.writeInt(chunks.size());
    for (Chunk chunk : chunks) {
      chunk.leaf().write(out);
      out.writeLong(chunk.length());
      writeInts(out, chunk.files());
      out.writeUTF(chunk.split().getClass().getName());
      chunk.split().write(out);
    }
    out.writeInt(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      nodeIds.get(i).write(out);
      writeInts(out, nodes.get(i));
    }
    writeInts(out, shared.stream().mapToInt(Integer::intValue).toArray());
  }

  void readFields(DataInput in) throws IOException {
    files.clear();
    chunks.clear();
    nodes.clear();
    nodeIds.clear();
    shared.clear();
    int fileCount = in.readInt();
    for (int i = 0; i < fileCount; i++) {
      files.add(new Source(in.readUTF(), in.readUTF()));
    }
    int chunkCount = in.readInt();
    for (int i = 0; i < chunkCount; i++) {
      Digest leaf = Digest.read(in);
      long length = in.readLong();
      int[] sources = readInts(in);
      Writable split = SplitKinds.create(in.readUTF());
      split.readFields(in);
      chunks.add(new Chunk(leaf, length, split, sources));
    }
    int nodeCount = in.readInt();
    for (int i = 0; i < nodeCount; i++) {
      nodeIds.add(Digest.read(in));
      nodes.add(readInts(in));
    }
    for (int member : readInts(in)) {
      shared.add(member);
    }
  }

  private static void writeInts(DataOutput out, int[] values) throws IOException {
    out.writeInt(values.length);
    for (int value : values) {
      out.writeInt(value);
    }
  }

  private static int[] readInts(DataInput in) throws IOException {
    int[] values = new int[in.readInt()];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readInt();
    }
    return values;
  }

  @Override
  public String toString() {
    return "batch of " + chunks.size() + " chunks, " + length() + " bytes";
  }
}
