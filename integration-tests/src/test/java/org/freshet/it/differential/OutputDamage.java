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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** What people and disks do to a job's output after the job is done. */
final class OutputDamage {
  private OutputDamage() {}

  /** Damages one file of the output; the checksum beside it stays or goes. */
  static void inflict(Path output, Random random) throws IOException {
    if (!Files.exists(output)) {
      return;
    }
    List<Path> parts;
    try (Stream<Path> walk = Files.walk(output)) {
      parts = walk.filter(p -> p.getFileName().toString().startsWith("part-")).sorted().toList();
    }
    if (parts.isEmpty()) {
      return;
    }
    Path part = RandomJob.pick(random, parts);
    if (random.nextBoolean()) {
      Files.deleteIfExists(part.resolveSibling("." + part.getFileName() + ".crc"));
    }
    byte[] bytes = Files.readAllBytes(part);
    int kind = random.nextInt(4);
    if (kind == 0) {
      Files.delete(part);
    } else if (bytes.length == 0 || kind == 1) {
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 5);
      Files.write(part, longer);
    } else if (kind == 2) {
      Files.write(part, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
    } else {
      bytes[random.nextInt(bytes.length)] ^= 1;
      Files.write(part, bytes);
    }
  }
}
