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
package org.freshet.mapreduce.submit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.slider.Digest;

/**
 * Digests of the code and files that a job brings. Archives are digested by their entries' names
 * and contents, so that building the same code again gives the same digest. Results are kept for
 * the life of the process as long as a file's path and version stay the same: builds write jars
 * whose times and lengths are those of the one before. Thread-safe.
 */
final class ContentDigests {
  private record Key(String path, FileVersion version) {
    static Key of(FileSystem fs, FileStatus status) throws IOException {
      return new Key(status.getPath().toString(), FileVersion.of(fs, status));
    }
  }

  private static final Map<Key, Digest> KNOWN = new ConcurrentHashMap<>();

  private ContentDigests() {}

  /** Whether a path is Freshet's own jar. */
  static boolean isFreshet(Path path) {
    return path.getName().matches("freshet-hadoop-.*\\.jar");
  }

  /** Digest of a jar or zip file. */
  static Digest archive(Path given, Configuration conf) throws IOException {
    Path path = localIfPresent(given);
    FileSystem fs = path.getFileSystem(conf);
    FileStatus status = fs.getFileStatus(path);
    if (status.isDirectory()) {
      return tree(path, conf);
    }
    Key key = Key.of(fs, status);
    Digest known = KNOWN.get(key);
    if (known == null) {
      known = entries(fs, path);
      remember(key, known);
    }
    return known;
  }

  /** A job's jar is named without a scheme when it is a local file, as stock takes it. */
  static Path localIfPresent(Path path) {
    if (path.toUri().getScheme() != null) {
      return path;
    }
    File file = new File(path.toUri().getPath());
    return file.exists() ? new Path(file.getAbsoluteFile().toURI()) : path;
  }

  private static Digest entries(FileSystem fs, Path path) throws IOException {
    Map<String, Digest> entries = new TreeMap<>();
    try (ZipInputStream zip = new ZipInputStream(fs.open(path))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (!entry.isDirectory()) {
          entries.put(entry.getName(), digest(zip));
        }
      }
    }
    if (entries.isEmpty()) {
      try (InputStream in = fs.open(path)) {
        return digest(in);
      }
    }
    return combine(entries);
  }

  /** Digest of a file, or of all files below a directory with their names. */
  static Digest tree(Path given, Configuration conf) throws IOException {
    Path path = qualified(given, conf);
    FileSystem fs = path.getFileSystem(conf);
    return tree(fs, fs.getFileStatus(path));
  }

  /**
   * A path that names its file system: a path without one may be local, as stock Hadoop reads it.
   */
  static Path qualified(Path path, Configuration conf) throws IOException {
    if (path.toUri().getScheme() != null) {
      return path;
    }
    FileSystem fs = path.getFileSystem(conf);
    return fs.exists(path) ? fs.makeQualified(path) : localIfPresent(path);
  }

  private static Digest tree(FileSystem fs, FileStatus status) throws IOException {
    if (status.isDirectory()) {
      Map<String, Digest> entries = new TreeMap<>();
      for (FileStatus child : fs.listStatus(status.getPath())) {
        entries.put(child.getPath().getName(), tree(fs, child));
      }
      return combine(entries);
    }
    try (InputStream in = fs.open(status.getPath())) {
      return digest(in);
    }
  }

  /**
   * Digest of the archive or directory that a class was loaded from; the JDK's classes stand for
   * the Java version.
   */
  static Digest codeOf(Class<?> type, Configuration conf) throws IOException {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL location = source == null ? null : source.getLocation();
    if (location == null) {
      return Digest.sha256(
          ("java " + System.getProperty("java.specification.version"))
              .getBytes(StandardCharsets.UTF_8));
    }
    File file;
    try {
      file = new File(location.toURI());
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new IOException("can't read the code of " + type.getName() + " from " + location, e);
    }
    if (file.isDirectory()) {
      return classDirectory(file, FileSystem.getLocal(conf));
    }
    return archive(new Path(file.toURI()), conf);
  }

  private static Digest classDirectory(File root, FileSystem local) throws IOException {
    Map<String, Digest> entries = new TreeMap<>();
    java.nio.file.Path base = root.toPath();
    java.nio.file.Path[] files;
    try (var walk = Files.walk(base)) {
      files = walk.filter(Files::isRegularFile).toArray(java.nio.file.Path[]::new);
    }
    Arrays.sort(files);
    for (java.nio.file.Path file : files) {
      Key key = Key.of(local, local.getFileStatus(new Path(file.toUri())));
      Digest known = KNOWN.get(key);
      if (known == null) {
        try (InputStream in = Files.newInputStream(file)) {
          known = digest(in);
        }
        remember(key, known);
      }
      entries.put(base.relativize(file).toString(), known);
    }
    return combine(entries);
  }

  /** A file written a moment ago could be written again without a new version. */
  private static void remember(Key key, Digest digest) {
    if (key.version().settled(System.currentTimeMillis())) {
      KNOWN.put(key, digest);
    }
  }

  private static Digest digest(InputStream in) throws IOException {
    MessageDigest sha = Digest.newSha256();
    byte[] buffer = new byte[64 << 10];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      sha.update(buffer, 0, n);
    }
    return Digest.finish(sha);
  }

  private static Digest combine(Map<String, Digest> entries) {
    MessageDigest sha = Digest.newSha256();
    entries.forEach(
        (name, digest) -> {
          sha.update(name.getBytes(StandardCharsets.UTF_8));
          sha.update((byte) 0);
          digest.update(sha);
        });
    return Digest.finish(sha);
  }
}
