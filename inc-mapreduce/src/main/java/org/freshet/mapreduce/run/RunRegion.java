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
package org.freshet.mapreduce.run;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;

/**
 * What a map task hands to one reduce partition: a header, and after it the bytes of the runs
 * marked as shipped, in order. Stock ShuffleHandler and fetchers serve a region without looking
 * into it. Immutable.
 *
 * @param pack the pack that holds this region's runs, relative to the lineage directory; empty
 *     where the task could not write to the store
 * @param tainted whether an input file changed while the task read it
 * @param leaves one entry a chunk of the batch
 * @param nodes one entry a tree node that the task combined
 * @param counters counters of each leaf; only in the region of partition 0
 */
public record RunRegion(
    String pack,
    boolean tainted,
    List<Entry> leaves,
    List<Entry> nodes,
    Map<Digest, CounterSet> counters) {

  private static final int MAGIC = 0x46525231; // FRR1
  private static final int PREFIX = Integer.BYTES * 2 + Long.BYTES;

  /**
   * One run.
   *
   * @param id the leaf's name or the node's id
   * @param key the content key of a node (digest over its children's contents); for a leaf its id
   * @param offset where the run begins in the pack
   * @param shipped whether the run's bytes follow in this region
   */
  public record Entry(
      Digest id,
      Digest key,
      Digest content,
      long offset,
      long storedLength,
      long rawLength,
      boolean shipped) {}

  /** The entries whose bytes follow, in order. */
  public List<Entry> shipped() {
    List<Entry> shipped = new ArrayList<>();
    for (List<Entry> entries : List.of(leaves, nodes)) {
      for (Entry entry : entries) {
        if (entry.shipped()) {
          shipped.add(entry);
        }
      }
    }
    return shipped;
  }

  /** The header as it stands at the start of a region. */
  public byte[] header() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(pack);
    out.writeBoolean(tainted);
    write(leaves, out, false);
    write(nodes, out, true);
    out.writeInt(counters.size());
    for (Map.Entry<Digest, CounterSet> entry : counters.entrySet()) {
      entry.getKey().write(out);
      entry.getValue().write(out);
    }
    byte[] body = bytes.toByteArray();
    CRC32C crc = new CRC32C();
    crc.update(body);
    ByteArrayOutputStream header = new ByteArrayOutputStream(body.length + PREFIX);
    DataOutputStream prefix = new DataOutputStream(header);
    prefix.writeInt(MAGIC);
    prefix.writeInt(body.length);
    prefix.writeLong(crc.getValue());
    prefix.write(body);
    return header.toByteArray();
  }

  private static void write(List<Entry> entries, DataOutputStream out, boolean keys)
      throws IOException {
    out.writeInt(entries.size());
    for (Entry entry : entries) {
      entry.id().write(out);
      if (keys) {
        entry.key().write(out);
      }
      entry.content().write(out);
      out.writeLong(entry.offset());
      out.writeLong(entry.storedLength());
      out.writeLong(entry.rawLength());
      out.writeBoolean(entry.shipped());
    }
  }

  /**
   * Reads the header of a region.
   *
   * @param limit length of the whole region in bytes
   * @throws IOException if the bytes are not a region or damaged
   */
  public static RunRegion read(InputStream in, long limit) throws IOException {
    DataInputStream prefix = new DataInputStream(in);
    int magic = prefix.readInt();
    if (magic != MAGIC) {
      throw new IOException(
          "not a region of runs: starts with "
              + Integer.toHexString(magic)
              + ", expected "
              + Integer.toHexString(MAGIC));
    }
    int length = prefix.readInt();
    long expected = prefix.readLong();
    if (length < 0 || length > limit - PREFIX) {
      throw new IOException("a region of " + limit + " bytes claims a header of " + length);
    }
    byte[] body = new byte[length];
    prefix.readFully(body);
    CRC32C crc = new CRC32C();
    crc.update(body);
    if (crc.getValue() != expected) {
      throw new IOException("damaged region header: CRC " + crc.getValue() + " not " + expected);
    }
    DataInputStream data = new DataInputStream(new ByteArrayInputStream(body));
    String pack = data.readUTF();
    boolean tainted = data.readBoolean();
    List<Entry> leaves = read(data, false);
    List<Entry> nodes = read(data, true);
    int count = data.readInt();
    Map<Digest, CounterSet> counters = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      counters.put(Digest.read(data), CounterSet.read(data));
    }
    RunRegion region = new RunRegion(pack, tainted, leaves, nodes, counters);
    long sum = PREFIX + (long) length;
    for (Entry entry : region.shipped()) {
      sum += entry.storedLength();
    }
    if (sum != limit) {
      throw new IOException("a region of " + limit + " bytes describes " + sum);
    }
    return region;
  }

  private static List<Entry> read(DataInputStream in, boolean keys) throws IOException {
    int count = in.readInt();
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Digest id = Digest.read(in);
      Digest key = keys ? Digest.read(in) : id;
      entries.add(
          new Entry(
              id,
              key,
              Digest.read(in),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readBoolean()));
    }
    return entries;
  }
}
