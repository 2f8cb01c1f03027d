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
package org.freshet.memo;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.Digest;

/*
 * An 8-byte magic with the version in its last character; texts; properties; runs; partitions; files; leaves;
 * nodes; counters; the SHA-256 of all that. Lists carry their length in front.
 *
 * Leaves follow each other in the input, so an offset is stored as its distance from where the leaf before it
 * ended: mostly one byte, and a leaf about 40. Counter names are few and counters many: each name is written
 * once and numbered from then on. Counters name their leaf by its position, as distance from the one before.
 *
 * The digest can only be checked at the end, so reading bounds every number it allocates or indexes by.
 */
/** The stored form of a {@link Manifest}. */
final class ManifestFormat {
  private static final byte[] MAGIC = "FRSHMAN1".getBytes(StandardCharsets.US_ASCII);
  private static final int BUFFER_BYTES = 64 << 10;

  private ManifestFormat() {}

  static void write(Manifest m, OutputStream stream) throws IOException {
    BufferedOutputStream buffered = new BufferedOutputStream(stream, BUFFER_BYTES);
    MessageDigest sha256 = Digest.newSha256();
    DataOutputStream out = new DataOutputStream(new DigestOutputStream(buffered, sha256));
    out.write(MAGIC);
    Wire.writeString(out, m.runId());
    Wire.writeString(out, m.jobId());
    Wire.writeString(out, m.jobName());
    out.writeLong(m.createdMillis());
    out.writeBoolean(m.outputDir() != null);
    if (m.outputDir() != null) {
      Wire.writeString(out, m.outputDir());
    }
    Wire.writeString(out, m.treeParameters());
    Wire.writeUnsigned(out, m.properties().size());
    for (Map.Entry<String, String> property : m.properties().entrySet()) {
      Wire.writeString(out, property.getKey());
      Wire.writeString(out, property.getValue());
    }
    Wire.writeUnsigned(out, m.runs().size());
    for (RunEntry run : m.runs()) {
      Wire.writeString(out, run.runId());
      writeStrings(out, run.pins());
    }
    writeStrings(out, m.partitions());
    Wire.writeUnsigned(out, m.files().size());
    for (FileEntry file : m.files()) {
      Wire.writeString(out, file.path());
      Wire.writeString(out, file.version());
      Wire.writeUnsigned(out, file.length());
    }
    writeLeaves(out, m.leaves());
    Wire.writeUnsigned(out, m.nodes().size());
    for (NodeEntry node : m.nodes()) {
      node.id().write(out);
      Wire.writeUnsigned(out, node.run());
    }
    writeCounters(out, m);
    out.flush();
    buffered.write(sha256.digest());
    buffered.flush();
  }

  static Manifest read(InputStream stream) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(stream, BUFFER_BYTES);
    MessageDigest sha256 = Digest.newSha256();
    try {
      Manifest manifest = readBody(new DataInputStream(new DigestInputStream(buffered, sha256)));
      Digest expected = Digest.read(new DataInputStream(buffered));
      Digest actual = Digest.finish(sha256);
      if (!actual.equals(expected)) {
        throw new CorruptStoreException(
            "manifest has SHA-256 " + actual.hex() + ", expected " + expected.hex());
      }
      if (buffered.read() >= 0) {
        throw new CorruptStoreException("manifest goes on after its SHA-256 trailer");
      }
      return manifest;
    } catch (EOFException e) {
      throw new CorruptStoreException("manifest is truncated", e);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new CorruptStoreException("manifest contradicts itself: " + e.getMessage(), e);
    }
  }

  private static Manifest readBody(DataInputStream in) throws IOException {
    byte[] magic = in.readNBytes(MAGIC.length);
    if (!Arrays.equals(magic, MAGIC)) {
      throw new CorruptStoreException(
          "manifest begins with '%s', expected '%s'"
              .formatted(
                  new String(magic, StandardCharsets.ISO_8859_1),
                  new String(MAGIC, StandardCharsets.US_ASCII)));
    }
    Manifest.Builder m = Manifest.builder(Wire.readString(in, "run id"));
    m.jobId(Wire.readString(in, "job id"));
    m.jobName(Wire.readString(in, "job name"));
    m.createdMillis(in.readLong());
    m.outputDir(in.readBoolean() ? Wire.readString(in, "output directory") : null);
    m.treeParameters(Wire.readString(in, "tree parameters"));
    for (int n = readCount(in, "properties"); n > 0; n--) {
      String name = Wire.readString(in, "property name");
      m.property(name, Wire.readString(in, "property value"));
    }
    for (int n = readCount(in, "runs"); n > 0; n--) {
      String runId = Wire.readString(in, "run id");
      m.addRun(new RunEntry(runId, readStrings(in, "pins")));
    }
    m.addPartitions(readStrings(in, "partitions"));
    for (int n = readCount(in, "files"); n > 0; n--) {
      String path = Wire.readString(in, "file path");
      String version = Wire.readString(in, "file version");
      m.addFile(new FileEntry(path, version, Wire.readUnsigned(in)));
    }
    List<LeafEntry> leaves = readLeaves(in);
    m.addLeaves(leaves);
    for (int n = readCount(in, "nodes"); n > 0; n--) {
      Digest id = Digest.read(in);
      m.addNode(new NodeEntry(id, readIndex(in, "run of a node")));
    }
    readCounters(in, leaves, m);
    return m.build();
  }

  private static void writeLeaves(DataOutputStream out, List<LeafEntry> leaves) throws IOException {
    Wire.writeUnsigned(out, leaves.size());
    int file = 0;
    long end = 0;
    for (LeafEntry leaf : leaves) {
      leaf.id().write(out);
      Wire.writeSigned(out, leaf.file() - (long) file);
      if (leaf.file() != file) {
        end = 0;
      }
      Wire.writeSigned(out, leaf.offset() - end);
      Wire.writeUnsigned(out, leaf.length());
      Wire.writeUnsigned(out, leaf.run());
      file = leaf.file();
      end = leaf.offset() + leaf.length();
    }
  }

  private static List<LeafEntry> readLeaves(DataInputStream in) throws IOException {
    List<LeafEntry> leaves = new ArrayList<>();
    int file = 0;
    long end = 0;
    for (int n = readCount(in, "leaves"); n > 0; n--) {
      Digest id = Digest.read(in);
      long fileStep = Wire.readSigned(in);
      if (fileStep != 0) {
        file = Math.toIntExact(file + fileStep);
        end = 0;
      }
      long offset = end + Wire.readSigned(in);
      long length = Wire.readUnsigned(in);
      leaves.add(new LeafEntry(id, file, offset, length, readIndex(in, "run of a leaf")));
      end = offset + length;
    }
    return leaves;
  }

  private static void writeCounters(DataOutputStream out, Manifest m) throws IOException {
    Map<Digest, CounterSet> rest = new LinkedHashMap<>(m.leafCounters());
    Map<String, Integer> texts = new HashMap<>();
    Wire.writeUnsigned(out, rest.size());
    int position = 0;
    int last = -1;
    for (LeafEntry leaf : m.leaves()) {
      CounterSet counters = rest.isEmpty() ? null : rest.remove(leaf.id());
      if (counters != null) {
        Wire.writeUnsigned(out, position - last);
        last = position;
        counters.write(out, (o, text) -> writeNumbered(o, text, texts));
      }
      position++;
    }
    for (Map.Entry<Digest, CounterSet> e : rest.entrySet()) {
      // Distance 0, which no leaf can have: the id itself follows.
      Wire.writeUnsigned(out, 0);
      e.getKey().write(out);
      e.getValue().write(out, (o, text) -> writeNumbered(o, text, texts));
    }
  }

  private static void readCounters(DataInputStream in, List<LeafEntry> leaves, Manifest.Builder m)
      throws IOException {
    List<String> texts = new ArrayList<>();
    int last = -1;
    for (int n = readCount(in, "leaf counters"); n > 0; n--) {
      int distance = Wire.readInt(in, "distance of a leaf with counters", leaves.size() - 1 - last);
      last += distance;
      Digest leaf = distance == 0 ? Digest.read(in) : leaves.get(last).id();
      m.leafCounters(leaf, CounterSet.read(in, i -> readNumbered(i, texts)));
    }
  }

  /** A text's number, and the text itself behind it on its first use. */
  private static void writeNumbered(DataOutput out, String text, Map<String, Integer> texts)
      throws IOException {
    Integer known = texts.putIfAbsent(text, texts.size());
    if (known != null) {
      Wire.writeUnsigned(out, known);
    } else {
      Wire.writeUnsigned(out, texts.size() - 1L);
      Wire.writeString(out, text);
    }
  }

  private static String readNumbered(DataInput in, List<String> texts) throws IOException {
    int number = Wire.readInt(in, "number of a counter's name", texts.size());
    if (number == texts.size()) {
      texts.add(Wire.readString(in, "counter name"));
    }
    return texts.get(number);
  }

  private static void writeStrings(DataOutputStream out, List<String> strings) throws IOException {
    Wire.writeUnsigned(out, strings.size());
    for (String s : strings) {
      Wire.writeString(out, s);
    }
  }

  private static List<String> readStrings(DataInputStream in, String what) throws IOException {
    List<String> strings = new ArrayList<>();
    for (int n = readCount(in, what); n > 0; n--) {
      strings.add(Wire.readString(in, what));
    }
    return strings;
  }

  private static int readCount(DataInputStream in, String what) throws IOException {
    return Wire.readInt(in, "number of " + what, Integer.MAX_VALUE);
  }

  private static int readIndex(DataInputStream in, String what) throws IOException {
    return Wire.readInt(in, what, Integer.MAX_VALUE);
  }
}
