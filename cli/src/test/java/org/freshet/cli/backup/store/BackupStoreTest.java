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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackupStoreTest {
  @TempDir private Path dir;

  @Test
  void anImageOutlivesTheProcessThatPutIt() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      StoredText.put(store, "disk", "one", "two", "one");
    }
    try (BackupStore store = BackupStore.open(dir)) {
      assertThat(StoredText.read(store, "disk", 1)).isEqualTo("onetwoone");
      assertThat(store.remarks()).isEmpty();
      assertThat(store.verify()).isEqualTo(new VerifyReport(2, 6, 1, List.of()));
    }
  }

  @Test
  void aChunkIsKeptOnceHoweverOftenItComes() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      assertThat(store.add(StoredText.ref("same"), StoredText.bytes("same"))).isTrue();
      assertThat(store.add(StoredText.ref("same"), StoredText.bytes("same"))).isFalse();
      assertThat(store.chunkBytes()).isEqualTo(4);
    }
  }

  @Test
  void aChunkOfOtherContentThanItsDigestSaysIsRefused() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      assertThatThrownBy(() -> store.add(StoredText.ref("this"), StoredText.bytes("that")))
          .isInstanceOf(DamagedChunkException.class);
      assertThat(store.contains(StoredText.ref("this").digest())).isFalse();
    }
  }

  @Test
  void nothingIsSeenOfAnImageThatIsNotCommitted() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      try (ImageWriter image = store.begin("disk")) {
        store.add(StoredText.ref("x"), StoredText.bytes("x"));
        image.add(StoredText.ref("x"));
        assertThat(store.images(new ArrayList<>())).isEmpty();
      }
      assertThat(dir.resolve("images/disk")).isEmptyDirectory();
      assertThatThrownBy(() -> store.image("disk", 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no image 'disk'");
    }
  }

  @Test
  void anImageCannotBeMadeOfAChunkThatIsNotThere() throws Exception {
    try (BackupStore store = BackupStore.open(dir);
        ImageWriter image = store.begin("disk")) {
      assertThatThrownBy(() -> image.add(StoredText.ref("missing")))
          .isInstanceOf(DamagedChunkException.class)
          .hasMessageContaining("is not in the store");
    }
  }

  @Test
  void anImageWithAnotherIdThanExpectedIsNotCommitted() throws Exception {
    try (BackupStore store = BackupStore.open(dir);
        ImageWriter image = store.begin("disk")) {
      assertThatThrownBy(() -> image.commit(StoredText.ref("something else").digest()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected");
      assertThat(store.images(new ArrayList<>())).isEmpty();
    }
  }

  @Test
  void imagesOfANameAreNumberedAndTheLastIsTheDefault() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      StoredText.put(store, "disk", "old");
      StoredText.put(store, "disk", "new");
      StoredText.put(store, "other");
      assertThat(StoredText.read(store, "disk", 0)).isEqualTo("new");
      assertThat(StoredText.read(store, "disk", 1)).isEqualTo("old");
      assertThat(StoredText.read(store, "other", 0)).isEmpty();
      assertThat(store.images(new ArrayList<>()))
          .extracting(image -> image.name() + image.sequence())
          .containsExactly("disk1", "disk2", "other1");
    }
  }

  @Test
  void packsAreFilledInTurnAndAllAreFoundAgain() throws Exception {
    try (BackupStore store = BackupStore.open(dir, 100)) {
      StoredText.put(store, "disk", "a".repeat(60), "b".repeat(60), "c".repeat(60));
    }
    assertThat(dir.resolve("packs"))
        .isDirectoryContaining("glob:**00000003.pack")
        .isDirectoryNotContaining("glob:**00000004.pack");
    try (BackupStore store = BackupStore.open(dir, 100)) {
      assertThat(StoredText.read(store, "disk", 0)).hasSize(180);
    }
  }

  @Test
  void aSecondProcessIsRefused() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      assertThatThrownBy(() -> BackupStore.open(dir))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is in use");
      assertThat(store.images(new ArrayList<>())).isEmpty();
    }
  }

  @Test
  void aDirectoryOfOtherFilesIsNotTakenForAStore() throws Exception {
    Files.writeString(dir.resolve("letter.txt"), "dear");
    assertThatThrownBy(() -> BackupStore.open(dir))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no backup store");
    assertThat(dir.toFile().list()).hasSize(1);
  }

  @Test
  void aDamagedChunkIsReportedAndStoredAnewByTheNextImageThatHasIt() throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      StoredText.put(store, "disk", "sound", "rotten");
    }
    Path pack = dir.resolve("packs/00000001.pack");
    byte[] bytes = Files.readAllBytes(pack);
    bytes[bytes.length - 1] ^= 1;
    Files.write(pack, bytes);
    try (BackupStore store = BackupStore.open(dir)) {
      VerifyReport report = store.verify();
      assertThat(report.chunks()).isEqualTo(1);
      assertThat(report.images()).isZero();
      assertThat(report.problems())
          .hasSize(2)
          .anySatisfy(line -> assertThat(line).contains("00000001.pack"))
          .anySatisfy(line -> assertThat(line).contains("'disk' number 1 lacks 1 of 2"));
      assertThat(store.contains(StoredText.ref("rotten").digest())).isFalse();
      StoredText.put(store, "disk", "rotten");
      assertThat(store.verify().sound()).isTrue();
    }
    try (BackupStore store = BackupStore.open(dir)) {
      assertThat(StoredText.read(store, "disk", 1)).isEqualTo("soundrotten");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "../x", "a/b", ".hidden", "-x", "white space", "n\u00e4me"})
  void aNameThatIsNoFileNameEverywhereIsRefused(String name) throws Exception {
    try (BackupStore store = BackupStore.open(dir)) {
      assertThatThrownBy(() -> store.begin(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + name + "'");
    }
  }

  /** Images whose chunks are texts. */
  static final class StoredText {
    private StoredText() {}

    static ByteBuffer bytes(String text) {
      return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static ChunkRef ref(String text) {
      return new ChunkRef(ChunkDigest.ofContent(bytes(text)), bytes(text).remaining());
    }

    static Image put(BackupStore store, String name, String... chunks) throws IOException {
      try (ImageWriter image = store.begin(name)) {
        ByteBuffer refs = ByteBuffer.allocate(chunks.length * ChunkRef.BYTES);
        for (String chunk : chunks) {
          store.add(ref(chunk), bytes(chunk));
          image.add(ref(chunk));
          ref(chunk).put(refs);
        }
        return image.commit(ChunkDigest.ofContent(refs.flip()));
      }
    }

    static String read(BackupStore store, String name, int sequence) throws IOException {
      StringBuilder text = new StringBuilder();
      for (List<ChunkRef> refs : store.image(name, sequence).batches(2)) {
        for (ChunkRef ref : refs) {
          text.append(StandardCharsets.UTF_8.decode(store.read(ref)));
        }
      }
      return text.toString();
    }
  }
}
