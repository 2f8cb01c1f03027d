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

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.slider.Digest;

/**
 * Remembers which versions of a job's jar and cache files went into its lineage, and tells whether
 * they have changed since: results of other content must not be kept under that lineage.
 */
public final class CacheFileWatch {
  private static final String VERSIONS = "freshet.internal.cache.versions";

  /** The properties that list files which stock gives to tasks. */
  static final List<String> PROPERTIES =
      List.of(
          MRJobConfig.CACHE_FILES,
          MRJobConfig.CACHE_ARCHIVES,
          "tmpjars",
          "tmpfiles",
          "tmparchives",
          // Handled as those three, whether the cluster has a shared cache or not.
          MRJobConfig.FILES_FOR_CLASSPATH_AND_SHARED_CACHE,
          MRJobConfig.FILES_FOR_SHARED_CACHE,
          MRJobConfig.ARCHIVES_FOR_SHARED_CACHE);

  private CacheFileWatch() {}

  /**
   * Notes the versions; to be called before the files are digested.
   *
   * @throws IOException if a file can't be found
   */
  static void begin(Configuration conf) throws IOException {
    List<String> versions = new ArrayList<>();
    String jar = conf.get(MRJobConfig.JAR);
    if (jar != null) {
      // Stock uploads it last of all, and runs one that is not a local file from where it is.
      Path path = ContentDigests.localIfPresent(new Path(jar));
      versions.add(version(path, conf) + "\t" + path);
    }
    for (String property : PROPERTIES) {
      for (String value : conf.getTrimmedStrings(property)) {
        Path path = ContentDigests.qualified(path(LineageReader.uri(value)), conf);
        versions.add(version(path, conf) + "\t" + path);
      }
    }
    if (!versions.isEmpty()) {
      conf.set(VERSIONS, String.join("\n", versions));
    }
  }

  /** A file without the name under which tasks see it, which is the fragment of its URI. */
  static Path path(URI uri) {
    return new Path(uri.getScheme(), uri.getAuthority(), uri.getPath());
  }

  /** A file that changed since, as seen by the client. */
  static Optional<String> changed(Configuration conf) {
    return changed(conf, true);
  }

  /**
   * A file that changed since, as seen from anywhere: local files may be the client's alone, and
   * were copied when the job was submitted.
   */
  public static Optional<String> sharedFileChanged(Configuration conf) {
    return changed(conf, false);
  }

  private static Optional<String> changed(Configuration conf, boolean localToo) {
    for (String line : conf.get(VERSIONS, "").split("\n", -1)) {
      int tab = line.indexOf('\t');
      if (tab < 0) {
        continue;
      }
      Path path = new Path(line.substring(tab + 1));
      if (!localToo && "file".equals(path.toUri().getScheme())) {
        continue;
      }
      try {
        if (!version(path, conf).equals(line.substring(0, tab))) {
          return Optional.of(path.toString());
        }
      } catch (IOException e) {
        return Optional.of(path + " (" + e + ")");
      }
    }
    return Optional.empty();
  }

  /** A directory's version is that of all that is in it. */
  private static String version(Path path, Configuration conf) throws IOException {
    FileSystem fs = path.getFileSystem(conf);
    return version(fs, fs.getFileStatus(path));
  }

  private static String version(FileSystem fs, FileStatus status) throws IOException {
    if (status.isFile()) {
      return FileVersion.of(fs, status).toString();
    }
    StringBuilder entries = new StringBuilder();
    FileStatus[] children = fs.listStatus(status.getPath());
    Arrays.sort(children, Comparator.comparing(FileStatus::getPath));
    for (FileStatus child : children) {
      entries.append(child.getPath().getName()).append('/');
      entries.append(version(fs, child)).append('\n');
    }
    return Digest.sha256(entries.toString().getBytes(StandardCharsets.UTF_8)).hex();
  }
}
