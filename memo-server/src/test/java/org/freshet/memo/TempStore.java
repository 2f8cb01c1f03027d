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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.freshet.slider.Digest;

/**
 * A store in a temporary directory of the local disk, without Hadoop's own checksum files: what a
 * test damages must reach the code under test.
 */
final class TempStore implements AutoCloseable {
  private final java.nio.file.Path directory;
  private final FileSystem fs;

  TempStore() {
    try {
      directory =
          Files.createTempDirectory(
              Files.createDirectories(java.nio.file.Path.of("target", "stores")), "store");
      fs = new RawLocalFileSystem();
      fs.initialize(URI.create("file:///"), new Configuration(false));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FileSystem fs() {
    return fs;
  }

  Path root() {
    return new Path(directory.toAbsolutePath().toUri());
  }

  Path path(String relative) {
    return new Path(root(), relative);
  }

  MemoStore store() throws IOException {
    return MemoStore.open(fs, root());
  }

  LineageStore lineage(int number) throws IOException {
    return store().lineage(digest(number));
  }

  /** A lineage whose file system is the given one. */
  LineageStore lineage(FileSystem through, int number) throws IOException {
    return MemoStore.open(through, root()).lineage(digest(number));
  }

  byte[] bytes(Path path) throws IOException {
    return Files.readAllBytes(local(path));
  }

  void put(Path path, byte[] bytes) throws IOException {
    Files.createDirectories(local(path).getParent());
    Files.write(local(path), bytes);
  }

  void flipBit(Path path, long bit) throws IOException {
    byte[] bytes = bytes(path);
    bytes[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
    put(path, bytes);
  }

  void truncate(Path path, int length) throws IOException {
    put(path, Arrays.copyOf(bytes(path), length));
  }

  static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  static Digest digest(long number) {
    return Digest.sha256(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  static byte[] randomBytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Writes runs into one pack, each of random length below a bound. */
  static List<RunRef> writePack(
      LineageStore lineage, String pack, Random random, int count, int maxLength)
      throws IOException {
    List<RunRef> refs = new ArrayList<>();
    try (PackWriter writer =
        PackWriter.create(lineage.fileSystem(), new Path(lineage.dir(), pack))) {
      for (int i = 0; i < count; i++) {
        byte[] run = randomBytes(random, random.nextInt(maxLength));
        writer.begin();
        writer.write(run, 0, run.length);
        refs.add(writer.end(pack, 2L * run.length));
      }
    }
    return refs;
  }

  static byte[] read(LineageStore lineage, RunRef ref) throws IOException {
    try (InputStream in = RunInput.open(lineage.fileSystem(), lineage.dir(), ref)) {
      return in.readAllBytes();
    }
  }

  @Override
  public void close() {
    try (Stream<java.nio.file.Path> tree = Files.walk(directory)) {
      for (java.nio.file.Path p : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
      fs.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
