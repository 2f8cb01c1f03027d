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
package org.freshet.shredder.nativ;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.freshet.shredder.BackendUnavailableException;

/**
 * Gets libshredder.so from the jar into this process. Nothing is left behind, and any number of
 * JVMs may do so at once.
 */
final class NativeLibrary {
  /*
   * The dynamic linker takes files only. A file that others could write to, or put there first, would run
   * their code here. So each load has a new directory, which only its owner may enter; what was written is
   * read back and compared with the digest that the build has put beside the library; and as soon as it is
   * mapped, file and directory are deleted: a process keeps what it has mapped, and one that is killed
   * later leaves nothing.
   */

  private static final String FILE = "libshredder.so";
  private static final String DIRECTORY_PROPERTY = "shredder.native.directory";

  private static boolean loaded;

  private NativeLibrary() {}

  /**
   * Loads the library, once.
   *
   * @throws BackendUnavailableException if the jar has none for this platform, or it cannot be
   *     loaded; says why
   */
  static synchronized void load() throws BackendUnavailableException {
    if (!loaded) {
      String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
      load("/META-INF/native/" + platform + "/" + FILE, parent());
      if (NativeCalls.version() != NativeCalls.VERSION) {
        throw new BackendUnavailableException(
            FILE
                + " has version "
                + NativeCalls.version()
                + ", but the classes need "
                + NativeCalls.VERSION);
      }
      loaded = true;
    }
  }

  private static Path parent() {
    return Path.of(System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir")));
  }

  /** Names the directory in the jar: {@code linux-x86_64}. */
  static String platform(String system, String architecture) {
    String machine = architecture.equals("amd64") ? "x86_64" : architecture;
    return system.toLowerCase(Locale.ROOT).replace(' ', '-') + "-" + machine;
  }

  private static void load(String resource, Path parent) throws BackendUnavailableException {
    byte[] library = read(resource);
    if (library == null) {
      throw new BackendUnavailableException("the jar has no " + resource.substring(1));
    }
    byte[] digest = read(resource + ".sha256");
    if (digest == null) {
      throw new BackendUnavailableException("the jar has no digest of " + resource.substring(1));
    }
    try {
      load(library, new String(digest, StandardCharsets.US_ASCII).strip(), parent);
    } catch (IOException e) {
      throw new BackendUnavailableException(
          FILE + " cannot be put into " + parent + ", see " + DIRECTORY_PROPERTY + ": " + e, e);
    } catch (UnsatisfiedLinkError e) {
      throw new BackendUnavailableException(
          FILE + " cannot be loaded from " + parent + ": " + e.getMessage(), e);
    }
  }

  private static byte[] read(String resource) throws BackendUnavailableException {
    try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new BackendUnavailableException("the jar's " + resource.substring(1) + ": " + e, e);
    }
  }

  private static void load(byte[] library, String digest, Path parent)
      throws IOException, BackendUnavailableException {
    Path directory = Files.createTempDirectory(parent, "freshet-native-", ownerOnly("rwx------"));
    Path file = directory.resolve(FILE);
    try {
      write(file, library);
      requireDigest(file, digest);
      System.load(file.toAbsolutePath().toString());
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    Files.createFile(file, ownerOnly("rwx------"));
    Files.write(file, content, StandardOpenOption.WRITE);
  }

  /**
   * @throws BackendUnavailableException if the file's content is not what the digest says
   */
  static void requireDigest(Path file, String expected)
      throws IOException, BackendUnavailableException {
    String actual = HexFormat.of().formatHex(sha256().digest(Files.readAllBytes(file)));
    if (!actual.equals(expected)) {
      throw new BackendUnavailableException(
          file + " has the SHA-256 digest " + actual + " instead of " + expected);
    }
  }

  private static FileAttribute<?> ownerOnly(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }
}
