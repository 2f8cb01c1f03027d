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
package org.freshet.mapreduce.reduce;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.memo.CounterSet;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;

/**
 * What one reduce of one job run leaves behind beside its index entries. Immutable.
 *
 * @param chain index files to look memoized runs up in, newest first, relative to the lineage's
 *     directory
 * @param pins job runs, other than this one, whose packs this run's new entries point into
 * @param reduceKey content key of what Reduce read
 * @param output the files the reduce wrote; null where they could not be told
 * @param reduceCounters counters of the reduce alone
 * @param leafCounters counters of fresh leaves; only in partition 0
 * @param complete whether everything is in the store, so that the run may be published
 * @param combined nodes combined here
 * @param reused memoized runs read
 * @param cutOff nodes whose content was memoized under other children
 * @param recomputed memoized runs that were lost and made again
 * @param outputReused whether the previous output was copied
 */
public record PartitionRecord(
    List<String> chain,
    List<String> pins,
    Digest reduceKey,
    List<OutputFile> output,
    CounterSet reduceCounters,
    Map<Digest, CounterSet> leafCounters,
    boolean complete,
    int combined,
    int reused,
    int cutOff,
    int recomputed,
    boolean outputReused) {

  private static final byte VERSION = 1;

  /**
   * A file that a reduce wrote.
   *
   * @param name relative to the job's output directory
   * @param checksum what {@link OutputChecksum} gave
   * @param kept where the store has a copy, or null
   */
  public record OutputFile(String name, long length, String checksum, RunRef kept) {}

  /** The record's bytes. */
  public byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    writeStrings(out, chain);
    writeStrings(out, pins);
    reduceKey.write(out);
    out.writeInt(output == null ? -1 : output.size());
    if (output != null) {
      for (OutputFile file : output) {
        out.writeUTF(file.name());
        out.writeLong(file.length());
        out.writeUTF(file.checksum());
        out.writeBoolean(file.kept() != null);
        if (file.kept() != null) {
          RunRef kept = file.kept();
          kept.content().write(out);
          out.writeUTF(kept.pack());
          out.writeLong(kept.offset());
          out.writeLong(kept.storedLength());
        }
      }
    }
    reduceCounters.write(out);
    out.writeInt(leafCounters.size());
    for (Map.Entry<Digest, CounterSet> entry : leafCounters.entrySet()) {
      entry.getKey().write(out);
      entry.getValue().write(out);
    }
    out.writeBoolean(complete);
    out.writeInt(combined);
    out.writeInt(reused);
    out.writeInt(cutOff);
    out.writeInt(recomputed);
    out.writeBoolean(outputReused);
    return bytes.toByteArray();
  }

  /** Reads a record. */
  public static PartitionRecord of(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != VERSION) {
      throw new IOException("partition record of version " + version + ", expected " + VERSION);
    }
    List<String> chain = readStrings(in);
    List<String> pins = readStrings(in);
    Digest reduceKey = Digest.read(in);
    int files = in.readInt();
    List<OutputFile> output = files < 0 ? null : new ArrayList<>();
    for (int i = 0; i < files; i++) {
      String name = in.readUTF();
      long length = in.readLong();
      String checksum = in.readUTF();
      RunRef kept = null;
      if (in.readBoolean()) {
        Digest content = Digest.read(in);
        String pack = in.readUTF();
        long offset = in.readLong();
        long stored = in.readLong();
        kept = new RunRef(content, pack, offset, stored, stored);
      }
      output.add(new OutputFile(name, length, checksum, kept));
    }
    CounterSet reduceCounters = CounterSet.read(in);
    int leaves = in.readInt();
    Map<Digest, CounterSet> leafCounters = new LinkedHashMap<>();
    for (int i = 0; i < leaves; i++) {
      leafCounters.put(Digest.read(in), CounterSet.read(in));
    }
    return new PartitionRecord(
        chain,
        pins,
        reduceKey,
        output,
        reduceCounters,
        leafCounters,
        in.readBoolean(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readBoolean());
  }

  private static void writeStrings(DataOutputStream out, List<String> strings) throws IOException {
    out.writeInt(strings.size());
    for (String string : strings) {
      out.writeUTF(string);
    }
  }

  private static List<String> readStrings(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<String> strings = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      strings.add(in.readUTF());
    }
    return strings;
  }
}
