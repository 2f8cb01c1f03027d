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
package org.freshet.cli.backup.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.freshet.cli.backup.store.BackupStoreTest.StoredText;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Files cut at, and damaged in, every byte. The oracle is the text that was put. */
class StoreCrashTest {
  private static final String FIRST = "alphabetagamma";
  private static final String SECOND = "alphadelta";

  @TempDir(factory = InMemory.class)
  private Path dir;

  private Path store;
  private Map<String, byte[]> committed;

  @BeforeEach
  void putTwoImages() throws Exception {
    store = dir.resolve("store");
    try (BackupStore opened = BackupStore.open(store)) {
      StoredText.put(opened, "disk", "alpha", "beta", "gamma");
      StoredText.put(opened, "disk", "alpha", "delta");
    }
    committed = snapshot();
  }

  @Test
  void whatWasCommittedSurvivesACrashAtAnyByteOfWhatCameAfter() throws Exception {
    try (BackupStore opened = BackupStore.open(store);
        ImageWriter draft = opened.begin("disk")) {
      for (String chunk : List.of("epsilon", "zeta")) {
        opened.add(StoredText.ref(chunk), StoredText.bytes(chunk));
        draft.add(StoredText.ref(chunk));
      }
      Map<String, byte[]> dying = snapshot();
      List<String> grown =
          dying.keySet().stream()
              .filter(file -> !file.equals("lock") && !committed.containsKey(file))
              .toList();
      assertThat(grown).hasSize(2);
      for (String file : grown) {
        for (int length = 0; length <= dying.get(file).length; length++) {
          Path copy = copy(dying);
          truncate(copy.resolve(file), length);
          try (BackupStore survivor = BackupStore.open(copy)) {
            assertThat(survivor.verify().problems()).as("%s cut at %d", file, length).isEmpty();
            assertThat(StoredText.read(survivor, "disk", 1)).isEqualTo(FIRST);
            assertThat(StoredText.read(survivor, "disk", 2)).isEqualTo(SECOND);
            assertThat(survivor.images(new ArrayList<>())).hasSize(2);
            StoredText.put(survivor, "disk", "epsilon", "zeta");
          }
          try (BackupStore survivor = BackupStore.open(copy)) {
            assertThat(StoredText.read(survivor, "disk", 0)).isEqualTo("epsilonzeta");
          }
        }
      }
    }
  }

  @Test
  void chunksAddedBeforeACrashAreTakenBack() throws Exception {
    Path copy;
    try (BackupStore opened = BackupStore.open(store)) {
      opened.add(StoredText.ref("epsilon"), StoredText.bytes("epsilon"));
      opened.add(StoredText.ref("zeta"), StoredText.bytes("zeta"));
      copy = copy(snapshot());
    }
    truncate(
        copy.resolve("packs/00000002.pack"),
        (int) Files.size(copy.resolve("packs/00000002.pack")) - 1);
    try (BackupStore survivor = BackupStore.open(copy)) {
      assertThat(survivor.remarks()).singleElement().asString().contains("found 1 chunks");
      assertThat(survivor.contains(StoredText.ref("epsilon").digest())).isTrue();
      assertThat(survivor.contains(StoredText.ref("zeta").digest())).isFalse();
    }
    try (BackupStore again = BackupStore.open(copy)) {
      assertThat(again.remarks()).isEmpty();
      assertThat(again.contains(StoredText.ref("epsilon").digest())).isTrue();
    }
  }

  @Test
  void aFileCutAtAnyByteNeverYieldsWrongContentAndIsHealedByPuttingAgain() throws Exception {
    for (String file : committed.keySet()) {
      for (int length = 0; length < committed.get(file).length; length++) {
        Path copy = copy(committed);
        truncate(copy.resolve(file), length);
        assertNothingWrongIsRead(copy, file + " cut at " + length, length % 8 == 0);
      }
    }
  }

  @Test
  void aByteDamagedAnywhereNeverYieldsWrongContentAndIsHealedByPuttingAgain() throws Exception {
    for (String file : committed.keySet()) {
      for (int position = 0; position < committed.get(file).length; position++) {
        Path copy = copy(committed);
        byte[] bytes = committed.get(file).clone();
        bytes[position] ^= 0x10;
        Files.write(copy.resolve(file), bytes);
        assertNothingWrongIsRead(copy, file + " damaged at " + position, position % 8 == 0);
      }
    }
  }

  private static void assertNothingWrongIsRead(Path copy, String what, boolean heal)
      throws IOException {
    try (BackupStore survivor = BackupStore.open(copy)) {
      int whole = 0;
      for (int sequence = 1; sequence <= 2; sequence++) {
        try {
          assertThat(StoredText.read(survivor, "disk", sequence))
              .as(what)
              .isEqualTo(sequence == 1 ? FIRST : SECOND);
          whole++;
        } catch (IOException reported) {
          assertThat(reported.getMessage()).as(what).isNotEmpty();
        }
      }
      VerifyReport report = survivor.verify();
      assertThat(report.images()).as(what).isEqualTo(whole);
      assertThat(report.sound()).as(what).isEqualTo(whole == 2);
      // Putting waits for the disk, and there are many places to damage.
      if (heal) {
        StoredText.put(survivor, "disk", "alpha", "beta", "gamma", "delta");
        assertThat(StoredText.read(survivor, "disk", 0)).as(what).isEqualTo(FIRST + "delta");
      }
    }
  }

  /** Thousands of stores are made durable here, which no disk needs to see. */
  static final class InMemory implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
        throws IOException {
      return Files.isWritable(MEMORY)
          ? Files.createTempDirectory(MEMORY, "freshet-crash")
          : Files.createTempDirectory("freshet-crash");
    }
  }

  private Map<String, byte[]> snapshot() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(store)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(store.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return files;
  }

  private Path copy(Map<String, byte[]> files) throws IOException {
    Path copy = Files.createTempDirectory(dir, "copy");
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = copy.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
    return copy;
  }

  private static void truncate(Path file, int length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }
}
