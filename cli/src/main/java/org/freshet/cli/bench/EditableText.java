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
package org.freshet.cli.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Generated text in a few files of equal size, and random edits of it.
 *
 * <p>An edit replaces lines by other lines of the same length in bytes. Both text and edits are a
 * function of the seed. Not thread-safe.
 */
final class EditableText {
  static final int REGION_BYTES = 1 << 20;

  private final Path directory;
  private final int regionsPerFile;
  private final int files;
  private final ZipfText text;
  private final SplittableRandom random;

  /**
   * What an edit changed.
   *
   * @param files the files that must be copied to the cluster again
   * @param data the new lines alone
   */
  record Edit(List<Path> files, ByteArrayOutputStream data) {}

  /**
   * Generates the text.
   *
   * @param directory where the files are written
   * @param files how many
   * @param totalRegions the size of all together in {@link #REGION_BYTES}; rounded up so that the
   *     files are equal
   */
  EditableText(Path directory, int files, int totalRegions, long seed) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.files = files;
    this.regionsPerFile = (totalRegions + files - 1) / files;
    this.text = new ZipfText(seed);
    this.random = new SplittableRandom(~seed);
    for (int file = 0; file < files; file++) {
      try (OutputStream out = Files.newOutputStream(path(file))) {
        for (int region = 0; region < regionsPerFile; region++) {
          out.write(text.lines(REGION_BYTES));
        }
      }
    }
  }

  Path directory() {
    return directory;
  }

  long bytes() {
    return (long) files * regionsPerFile * REGION_BYTES;
  }

  /** Every file. */
  List<Path> paths() {
    List<Path> paths = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      paths.add(path(file));
    }
    return paths;
  }

  /** Replaces a share of the text, in random regions of about {@link #REGION_BYTES}. */
  Edit replaceScattered(double share) throws IOException {
    Set<Integer> regions = new TreeSet<>();
    while (regions.size() < wanted(share)) {
      regions.add(random.nextInt(files * regionsPerFile));
    }
    return replace(regions);
  }

  /** Replaces a share of the text, one stretch of each file. */
  Edit replaceStretches(double share) throws IOException {
    int left = wanted(share);
    Set<Integer> regions = new TreeSet<>();
    for (int file = 0; file < files; file++) {
      int length = left / (files - file);
      int start = random.nextInt(regionsPerFile - length + 1);
      for (int region = start; region < start + length; region++) {
        regions.add(file * regionsPerFile + region);
      }
      left -= length;
    }
    return replace(regions);
  }

  private int wanted(double share) {
    return Math.max(1, (int) Math.round(share * files * regionsPerFile));
  }

  private Edit replace(Set<Integer> regions) throws IOException {
    Set<Path> changed = new TreeSet<>();
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int region : regions) {
      // Regions begin and end at a line's end because the text was generated so.
      byte[] lines = text.lines(REGION_BYTES);
      replace(region, 0, lines);
      data.write(lines);
      changed.add(path(region / regionsPerFile));
    }
    return new Edit(List.copyOf(changed), data);
  }

  /**
   * Replaces the first line of a random region by another of its length.
   *
   * @param chunkBytes how much unchanged text around the line {@link Edit#data} holds besides: what
   *     a system that recomputes whole chunks has to read
   */
  Edit replaceLine(int chunkBytes) throws IOException {
    int region = random.nextInt(files * regionsPerFile);
    Path path = path(region / regionsPerFile);
    byte[] around = new byte[Math.min(chunkBytes, regionsPerFile * REGION_BYTES)];
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      file.seek(Math.min(offset(region), file.length() - around.length));
      file.readFully(around);
    }
    byte[] first = new byte[REGION_BYTES];
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      file.seek(offset(region));
      file.readFully(first);
    }
    int length = 1;
    while (first[length - 1] != '\n') {
      length++;
    }
    replace(region, 0, text.lines(length));
    around[around.length - 1] = '\n';
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    data.write(around);
    return new Edit(List.of(path), data);
  }

  private void replace(int region, int offset, byte[] lines) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(path(region / regionsPerFile).toFile(), "rw")) {
      file.seek(offset(region) + offset);
      file.write(lines);
    }
  }

  private long offset(int region) {
    return (long) (region % regionsPerFile) * REGION_BYTES;
  }

  private Path path(int file) {
    return directory.resolve(String.format("text-%02d.txt", file));
  }
}
