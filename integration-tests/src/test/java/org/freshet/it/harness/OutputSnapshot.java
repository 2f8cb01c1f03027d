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
package org.freshet.it.harness;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * What a job wrote, in a form that can be compared: the bytes of each file, decompressed, and the
 * records of SequenceFiles, whose sync marker is random. Immutable.
 *
 * @param files content by path below the output directory
 */
public record OutputSnapshot(SortedMap<String, byte[]> files) {
  private static final byte[] SEQUENCE_MAGIC = {'S', 'E', 'Q'};

  /** Reads the output directory; an absent one is empty. */
  public static OutputSnapshot read(Path directory, Configuration conf) throws IOException {
    FileSystem fs = directory.getFileSystem(conf);
    SortedMap<String, byte[]> files = new TreeMap<>();
    if (fs.exists(directory)) {
      String root = fs.makeQualified(directory).toUri().getPath();
      RemoteIterator<LocatedFileStatus> listed = fs.listFiles(directory, true);
      while (listed.hasNext()) {
        Path file = listed.next().getPath();
        String name = file.toUri().getPath().substring(root.length() + 1);
        files.put(name, canonical(fs, file, conf));
      }
    }
    return new OutputSnapshot(files);
  }

  private static byte[] canonical(FileSystem fs, Path file, Configuration conf) throws IOException {
    CompressionCodec codec = new CompressionCodecFactory(conf).getCodec(file);
    try (InputStream raw = fs.open(file);
        InputStream in = codec == null ? raw : codec.createInputStream(raw)) {
      byte[] bytes = in.readAllBytes();
      return Arrays.equals(bytes, 0, Math.min(3, bytes.length), SEQUENCE_MAGIC, 0, 3)
          ? records(file, conf)
          : bytes;
    }
  }

  private static byte[] records(Path file, Configuration conf) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(all);
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(conf, SequenceFile.Reader.file(file))) {
      out.writeUTF(reader.getKeyClassName());
      out.writeUTF(reader.getValueClassName());
      out.writeUTF(String.valueOf(reader.getCompressionType()));
      Writable key = (Writable) ReflectionUtils.newInstance(reader.getKeyClass(), conf);
      Writable value = (Writable) ReflectionUtils.newInstance(reader.getValueClass(), conf);
      while (reader.next(key, value)) {
        key.write(out);
        value.write(out);
      }
    }
    return all.toByteArray();
  }

  /** Where {@code actual} first differs from this one; empty where it does not. */
  public Optional<String> difference(OutputSnapshot actual) {
    TreeSet<String> names = new TreeSet<>(files.keySet());
    names.addAll(actual.files.keySet());
    for (String name : names) {
      byte[] expected = files.get(name);
      byte[] found = actual.files.get(name);
      if (expected == null || found == null) {
        return Optional.of(
            (expected == null ? "file that stock did not write: " : "missing file: ") + name);
      }
      int at = Arrays.mismatch(expected, found);
      if (at >= 0) {
        return Optional.of(
            "%s differs at byte %d of %d (found %d)\n  expected: %s\n  found:    %s"
                .formatted(
                    name, at, expected.length, found.length, show(expected, at), show(found, at)));
      }
    }
    return Optional.empty();
  }

  private static String show(byte[] bytes, int at) {
    StringBuilder text = new StringBuilder();
    for (int i = Math.max(0, at - 40); i < Math.min(bytes.length, at + 40); i++) {
      char c = (char) (bytes[i] & 0xff);
      text.append(i == at ? "»" : "");
      text.append(c >= ' ' && c < 0x7f ? String.valueOf(c) : "\\x%02x".formatted((int) c));
    }
    return text.toString();
  }
}
