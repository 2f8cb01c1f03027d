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
package org.freshet.mapreduce.analysis;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The names under which a job's tasks can reach its cache files, as far as its configuration tells.
 *
 * <p>A job's lineage knows the content of its cache files, so code that reads just these reads no
 * outside data. Which forms of a name lead to a cache file, and never to another file, depends on
 * how the job declares them. Immutable and thread-safe.
 *
 * @param links names that stand for a cache file in a task's working directory
 * @param sufficient the forms that lead to the file itself for every one of the job's cache files
 */
public record CacheFileNames(Set<String> links, Set<Form> sufficient) {

  /** Forms that a name takes once code has it from {@code getCacheFiles()}. */
  public enum Form {
    /** The URI as the job gives it, opened through its own or the default file system. */
    URI,
    /** That URI turned into text and back into a Hadoop path, which knows no fragments. */
    TEXT,
    /** The path without scheme and authority, opened through the default file system. */
    PATH,
    /** The last component of the path, opened in the task's working directory. */
    LAST_COMPONENT
  }

  /** What a job without cache files has: no name is that of a cache file. */
  public static final CacheFileNames NONE = new CacheFileNames(Set.of(), Set.of());

  /** Copies the sets. */
  public CacheFileNames {
    links = Set.copyOf(links);
    sufficient = Set.copyOf(sufficient);
  }

  /**
   * Reads the cache files that a job declares, before or after its files are uploaded.
   *
   * <p>The local job runner works in the directory of the submitting program and leaves a file
   * there in place when a cache file has the same link name; such a name is left out.
   *
   * @param conf the job as it is submitted
   * @return its names; {@link #NONE} if it has no cache files or one has no valid name
   */
  public static CacheFileNames declaredBy(Configuration conf) {
    try {
      List<URI> declared = uris(conf, MRJobConfig.CACHE_FILES, MRJobConfig.CACHE_ARCHIVES);
      List<URI> uploaded =
          uris(
              conf,
              "tmpfiles",
              "tmparchives",
              MRJobConfig.FILES_FOR_SHARED_CACHE,
              MRJobConfig.ARCHIVES_FOR_SHARED_CACHE);
      List<URI> libraries = uris(conf, "tmpjars", MRJobConfig.FILES_FOR_CLASSPATH_AND_SHARED_CACHE);
      boolean local =
          conf.get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME)
              .equals(MRConfig.LOCAL_FRAMEWORK_NAME);
      CacheFileNames names = of(declared, uploaded, libraries, conf, local);
      // What a shared cache has is called there as the first job called it.
      boolean shared =
          !conf.getTrimmed(MRJobConfig.SHARED_CACHE_MODE, MRJobConfig.SHARED_CACHE_MODE_DEFAULT)
              .equals(MRJobConfig.SHARED_CACHE_MODE_DEFAULT);
      return shared ? new CacheFileNames(names.links(), Set.of()) : names;
    } catch (URISyntaxException e) {
      return NONE;
    }
  }

  private static CacheFileNames of(
      List<URI> declared,
      List<URI> uploaded,
      List<URI> libraries,
      Configuration conf,
      boolean local) {
    if (declared.isEmpty() && uploaded.isEmpty()) {
      return NONE;
    }
    URI defaultFileSystem = FileSystem.getDefaultUri(conf);
    // Uploaded files have a whole name, with a fragment, in the staging directory.
    List<URI> placed = new ArrayList<>(declared);
    if (!uploaded.isEmpty()) {
      placed.add(new Path(conf.get(MRJobConfig.MR_AM_STAGING_DIR, "/tmp")).toUri());
    }
    Set<Form> sufficient = EnumSet.noneOf(Form.class);
    boolean onDefault = placed.stream().allMatch(uri -> isOn(defaultFileSystem, uri));
    if (onDefault) {
      sufficient.add(Form.PATH);
    }
    if (onDefault || declared.stream().allMatch(CacheFileNames::isWhole)) {
      sufficient.add(Form.URI);
      if (uploaded.isEmpty() && declared.stream().allMatch(uri -> uri.getFragment() == null)) {
        sufficient.add(Form.TEXT);
      }
    }
    List<URI> all = new ArrayList<>(declared);
    all.addAll(uploaded);
    Set<String> links = new LinkedHashSet<>();
    Set<String> shadowed = new LinkedHashSet<>();
    for (URI uri : all) {
      (local && isShadowed(uri) ? shadowed : links).add(linkName(uri));
    }
    links.removeAll(shadowed);
    links.removeIf(link -> link.isEmpty() || link.contains("/") || link.equals("*"));
    // Tasks find the libraries, too, in the list of their cache files.
    boolean librariesKeepNames =
        libraries.stream().allMatch(uri -> keepsName(uri) && !(local && isShadowed(uri)));
    if (librariesKeepNames
        && all.stream().allMatch(uri -> links.contains(linkName(uri)) && keepsName(uri))) {
      sufficient.add(Form.LAST_COMPONENT);
    }
    return new CacheFileNames(links, sufficient);
  }

  private static List<URI> uris(Configuration conf, String... properties)
      throws URISyntaxException {
    List<URI> uris = new ArrayList<>();
    for (String property : properties) {
      Collection<String> values = conf.getTrimmedStringCollection(property);
      for (String value : values) {
        uris.add(new URI(value));
      }
    }
    return uris;
  }

  /** Whether the path alone, opened through the default file system, is the file. */
  private static boolean isOn(URI fileSystem, URI uri) {
    boolean sameScheme =
        uri.getScheme() == null || uri.getScheme().equalsIgnoreCase(fileSystem.getScheme());
    boolean sameAuthority =
        (uri.getScheme() == null && uri.getAuthority() == null)
            || lowerCase(uri.getAuthority()).equals(lowerCase(fileSystem.getAuthority()));
    return hasAbsolutePath(uri) && sameScheme && sameAuthority;
  }

  /** Whether any file system either finds the file by the URI or refuses it. */
  private static boolean isWhole(URI uri) {
    return hasAbsolutePath(uri)
        && uri.getScheme() != null
        && (uri.getAuthority() != null || uri.getScheme().equals("file"));
  }

  private static boolean hasAbsolutePath(URI uri) {
    return uri.getPath() != null && uri.getPath().startsWith("/");
  }

  private static String lowerCase(String authority) {
    return authority == null ? "" : authority.toLowerCase(Locale.ROOT);
  }

  private static String lastComponent(URI uri) {
    return uri.getPath() == null ? "" : new File(uri.getPath()).getName();
  }

  private static String linkName(URI uri) {
    return uri.getFragment() == null ? lastComponent(uri) : uri.getFragment();
  }

  private static boolean keepsName(URI uri) {
    return linkName(uri).equals(lastComponent(uri));
  }

  private static boolean isShadowed(URI uri) {
    File there = new File(linkName(uri)).getAbsoluteFile();
    if (!there.exists()) {
      return false;
    }
    try {
      return uri.getPath() == null
          || !"file".equals(uri.getScheme())
          || !Files.isSameFile(there.toPath(), new File(uri.getPath()).toPath());
    } catch (IOException e) {
      // A file that cannot be compared may be another one.
      return true;
    }
  }
}
