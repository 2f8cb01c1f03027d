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
package org.freshet.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.freshet.it.differential.InputFile.Container;

/**
 * Draws input for a job: text with every kind of line end, empty and very long lines, binary junk,
 * byte order marks and missing final newlines, or binary records. Deterministic in its random
 * source; not thread-safe.
 */
final class RandomInput {
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final RandomJob job;
  private final Random random;
  private final String terminator;
  private final boolean mixedTerminators;
  private final boolean junk;
  private final int vocabulary;

  RandomInput(RandomJob job, Random random) {
    this.job = job;
    this.random = random;
    this.terminator =
        job.delimiter().isEmpty()
            ? RandomJob.pick(random, "\n", "\n", "\n", "\r\n", "\r")
            : job.delimiter();
    this.mixedTerminators = job.delimiter().isEmpty() && random.nextInt(5) == 0;
    this.junk = random.nextInt(6) == 0;
    this.vocabulary = RandomJob.pick(random, 12, 200, 5000);
  }

  /** A first version of the input: one to six files, 1 to 200 KB in all. */
  InputTree tree() {
    TreeMap<String, InputFile> files = new TreeMap<>();
    int count = 1 + random.nextInt(6);
    double bytes = Math.exp(Math.log(1_000) + random.nextDouble() * Math.log(200));
    for (int i = 0; i < count; i++) {
      boolean empty = random.nextInt(12) == 0;
      files.put(freshPath(i), file(empty ? 0 : (int) (bytes / count)));
    }
    if (job.select() == RandomJob.Select.DIRECTORIES) {
      // Both directories must exist, or the job has no input.
      files.putIfAbsent("a/part-keep", file(100));
      files.putIfAbsent("b/part-keep", file(100));
    }
    InputTree tree = new InputTree(files);
    return random.nextInt(6) == 0 && job.select() != RandomJob.Select.FILES
        ? tree.with(directory() + "_ignored", file(200)) // Hidden from every FileInputFormat.
        : tree;
  }

  /** The path of a file numbered {@code i}, where the job's input paths find it. */
  String freshPath(int i) {
    return directory() + "part-" + i;
  }

  private String directory() {
    return switch (job.select()) {
      case DIRECTORY, FILES -> "";
      case DIRECTORIES, GLOB -> RandomJob.pick(random, "a/", "b/");
      case RECURSIVE -> RandomJob.pick(random, "", "a/", "a/deep/", "b/");
    };
  }

  /** A file of about so many bytes. */
  InputFile file(int bytes) {
    if (!job.input().isText()) {
      return new InputFile(container(), units(bytes));
    }
    List<byte[]> units = new ArrayList<>(units(bytes));
    if (!units.isEmpty() && random.nextInt(8) == 0) {
      units.set(0, concat(BYTE_ORDER_MARK, units.get(0)));
    }
    if (!units.isEmpty() && random.nextInt(4) == 0) {
      units.set(units.size() - 1, line());
    }
    boolean gzip = job.input().takesGzip() && random.nextInt(8) == 0;
    return new InputFile(gzip ? Container.GZIP : Container.PLAIN, units);
  }

  private Container container() {
    return switch (job.input()) {
      case SEQUENCE, SEQUENCE_AS_TEXT ->
          RandomJob.pick(
              random,
              Container.SEQUENCE,
              Container.SEQUENCE,
              Container.SEQUENCE_RECORD,
              Container.SEQUENCE_BLOCK);
      case AVRO -> RandomJob.pick(random, Container.AVRO, Container.AVRO_DEFLATE);
      case FIXED, TEXT, KEY_VALUE, NLINE, COMBINE -> Container.PLAIN;
    };
  }

  /** A run of units of about so many bytes. */
  List<byte[]> units(int bytes) {
    List<byte[]> units = new ArrayList<>();
    for (int written = 0; written < bytes; written += units.get(units.size() - 1).length) {
      units.add(unit());
    }
    return units;
  }

  /** A line with its end, or a record. */
  byte[] unit() {
    if (!job.input().isText()) {
      boolean fixed = job.input() == InputKind.FIXED;
      byte[] record = new byte[fixed ? InputKind.RECORD_BYTES : random.nextInt(120)];
      random.nextBytes(record);
      return record;
    }
    String end = mixedTerminators ? RandomJob.pick(random, "\n", "\r\n", "\r") : terminator;
    return concat(line(), end.getBytes(UTF_8));
  }

  private byte[] line() {
    int dice = random.nextInt(200);
    if (dice < 12) {
      return new byte[0];
    }
    if (dice == 12) {
      return words(3_000).getBytes(UTF_8);
    }
    if (junk && dice < 40) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      return bytes;
    }
    return words(1 + random.nextInt(12)).getBytes(UTF_8);
  }

  private String words(int count) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        line.append(random.nextInt(10) == 0 ? '\t' : ' ');
      }
      // Squaring makes some words frequent, as in text.
      double skewed = random.nextDouble() * random.nextDouble();
      int word = (int) (skewed * vocabulary);
      String text = Integer.toString(word * 7919 % 100_003, 36) + (char) ('a' + word % 26);
      line.append(random.nextInt(8) == 0 ? text.toUpperCase(Locale.ROOT) : text);
      if (word % 50 == 49) {
        line.append("\u00e9\u4e2d\ud83c\udf0a");
      }
    }
    return line.toString();
  }

  private static byte[] concat(byte[] a, byte[] b) {
    ByteArrayOutputStream both = new ByteArrayOutputStream(a.length + b.length);
    both.writeBytes(a);
    both.writeBytes(b);
    return both.toByteArray();
  }
}
