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

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.function.Function;
import java.util.zip.ZipFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.mapreduce.Mapper;
import org.freshet.mapreduce.analysis.CacheFileMappers.Filter;

/** Mappers that come close to reading cache files only, but may read something else; only read. */
@SuppressWarnings({"DefaultCharset", "deprecation", "StreamResourceLeak", "UnnecessaryLambda"})
final class NearCacheFileMappers {

  private NearCacheFileMappers() {}

  private static String cacheName(Mapper<?, ?, ?, ?>.Context context) throws IOException {
    return new Path(context.getCacheFiles()[0]).getName();
  }

  static class MergedWithProperty extends Filter {
    @Override
    void load(Context context) throws IOException {
      String given = context.getConfiguration().get("words.file");
      String name = given != null ? given : cacheName(context);
      addAll(new BufferedReader(new FileReader(name)));
    }
  }

  static class MergedInField extends Filter {
    private String name;

    @Override
    void load(Context context) throws IOException {
      name = cacheName(context);
      addAll(new BufferedReader(new FileReader(name)));
    }

    @Override
    protected void cleanup(Context context) {
      name = context.getConfiguration().get("words.file");
    }
  }

  static class MergedInParameter extends Filter {
    @Override
    void load(Context context) throws IOException {
      read(cacheName(context));
      read(context.getConfiguration().get("words.file"));
    }

    private void read(String name) throws IOException {
      addAll(new BufferedReader(new FileReader(name)));
    }
  }

  static class MergedInResult extends Filter {
    @Override
    void load(Context context) throws IOException {
      addAll(new BufferedReader(new FileReader(name(context))));
    }

    private String name(Context context) throws IOException {
      if (context.getConfiguration().get("words.file") != null) {
        return context.getConfiguration().get("words.file");
      }
      return cacheName(context);
    }
  }

  /** A subclass may return another name; which method runs is not certain. */
  static class OverridableResult extends Filter {
    @Override
    void load(Context context) throws IOException {
      addAll(new BufferedReader(new FileReader(name(context))));
    }

    String name(Context context) throws IOException {
      return cacheName(context);
    }
  }

  static class CalledThroughReference extends Filter {
    @Override
    void load(Context context) throws IOException {
      accept(new Path(context.getCacheFiles()[0]).getName());
    }

    void accept(String name) throws IOException {
      Function<String, Integer> length = this::length;
      words.add("" + length.apply(name) + length(name));
    }

    private int length(String name) {
      return (int) new File(name).length();
    }
  }

  static class JoinedWithParent extends Filter {
    @Override
    void load(Context context) throws IOException {
      Path parent = new Path(context.getConfiguration().get("words.directory"));
      Path joined = new Path(parent, cacheName(context));
      addAll(
          new BufferedReader(
              new InputStreamReader(FileSystem.get(context.getConfiguration()).open(joined))));
    }
  }

  static class JoinedWithComponents extends Filter {
    @Override
    void load(Context context) throws IOException {
      String more = context.getConfiguration().get("words.part");
      words.addAll(Files.readAllLines(Paths.get(cacheName(context), more)));
    }
  }

  /** Opens a file of the name "null" if there is no cache file. */
  static class TextOfNull extends Filter {
    @Override
    void load(Context context) throws IOException {
      Path found = null;
      for (Path file : context.getLocalCacheFiles()) {
        found = file;
      }
      addAll(new BufferedReader(new FileReader(String.valueOf(found))));
    }
  }

  static class Concatenated extends Filter {
    @Override
    void load(Context context) throws IOException {
      addAll(new BufferedReader(new FileReader("/data/" + cacheName(context))));
    }
  }

  static class AnotherConstant extends Filter {
    @Override
    void load(Context context) throws IOException {
      words.addAll(Files.readAllLines(Paths.get("other-words")));
    }
  }

  static class ConstantOnSharedFileSystem extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem.get(context.getConfiguration()).open(new Path("stop-words")).close();
    }
  }

  static class SharedPathOpenedLocally extends Filter {
    @Override
    void load(Context context) throws IOException {
      addAll(new BufferedReader(new FileReader(context.getCacheFiles()[0].getPath())));
    }
  }

  static class SharedPathOnLocalFileSystem extends Filter {
    @Override
    void load(Context context) throws IOException {
      Path path = new Path(context.getCacheFiles()[0].getPath());
      FileSystem.getLocal(context.getConfiguration()).open(path).close();
    }
  }

  static class FileSystemFromProperty extends Filter {
    @Override
    void load(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      FileSystem fs = new Path(conf.get("words.directory")).getFileSystem(conf);
      fs.open(new Path(context.getCacheFiles()[0])).close();
    }
  }

  static class ListsDirectory extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      words.add("" + fs.listStatus(new Path(context.getCacheFiles()[0])).length);
    }
  }

  static class WritesThroughFileSystem extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      fs.create(new Path(context.getCacheFiles()[0])).close();
    }
  }

  static class WritesLink extends Filter {
    @Override
    void load(Context context) throws IOException {
      new FileWriter("stop-words").close();
    }
  }

  static class DeletesAfterReading extends Filter {
    @Override
    void load(Context context) throws IOException {
      Files.newInputStream(Paths.get("stop-words"), StandardOpenOption.DELETE_ON_CLOSE).close();
    }
  }

  static class OpensByUnreadCode extends Filter {
    @Override
    void load(Context context) throws IOException {
      try (ZipFile zip = new ZipFile(cacheName(context))) {
        words.add(zip.getComment());
      }
    }
  }

  static class AsksForModificationTime extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      FileStatus status = fs.getFileStatus(new Path(context.getCacheFiles()[0]));
      words.add(Long.toString(status.getModificationTime()));
    }
  }

  static class PrintsStatus extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      FileStatus status = fs.getFileStatus(new Path(context.getCacheFiles()[0]));
      words.add("status " + status);
    }
  }

  static class HandsFileSystemOn extends Filter {
    @Override
    void load(Context context) throws IOException {
      IOUtils.closeStream(FileSystem.get(context.getConfiguration()));
    }
  }

  static class FormatsFileSystem extends Filter {
    @Override
    void load(Context context) throws IOException {
      words.add(String.format("%s", FileSystem.get(context.getConfiguration())));
    }
  }

  static class KeepsFileSystemInMap extends Filter {
    @Override
    void load(Context context) throws IOException {
      Map<String, Object> all = new HashMap<>();
      all.put("fs", FileSystem.get(context.getConfiguration()));
      words.addAll(all.keySet());
    }
  }

  static class ReplacesName extends Filter {
    @Override
    void load(Context context) throws IOException {
      URI[] files = context.getCacheFiles();
      files[0] = URI.create(context.getConfiguration().get("words.file"));
      FileSystem.get(context.getConfiguration()).open(new Path(files[0])).close();
    }
  }

  static class ReplacesNameInList extends Filter {
    @Override
    void load(Context context) throws IOException {
      List<URI> files = Arrays.asList(context.getCacheFiles());
      files.set(0, URI.create(context.getConfiguration().get("words.file")));
      FileSystem.get(context.getConfiguration()).open(new Path(files.get(0))).close();
    }
  }

  static class ReplacesNameThroughAlias extends Filter {
    private URI[] files;

    @Override
    void load(Context context) throws IOException {
      URI[] own = context.getCacheFiles();
      files = own;
      replace(context.getConfiguration().get("words.file"));
      FileSystem.get(context.getConfiguration()).open(new Path(own[0])).close();
    }

    private void replace(String name) {
      files[0] = URI.create(name);
    }
  }

  static class SetsCacheFiles extends Filter {
    @Override
    void load(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      conf.set("mapreduce.job.cache.files", conf.get("words.file"));
      FileSystem.get(conf).open(new Path(context.getCacheFiles()[0])).close();
    }
  }

  static class ConfigurationOfItsOwn extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem.get(new Configuration()).open(new Path(context.getCacheFiles()[0])).close();
    }
  }

  static class CallsByReflection extends Filter {
    @Override
    void load(Context context) throws IOException {
      read(cacheName(context));
      try {
        for (Method method : getClass().getDeclaredMethods()) {
          method.invoke(this, context.getConfiguration().get("words.file"));
        }
      } catch (ReflectiveOperationException e) {
        throw new IOException(e);
      }
    }

    private void read(String name) throws IOException {
      addAll(new BufferedReader(new FileReader(name)));
    }
  }

  static class ScansText extends Filter {
    @Override
    void load(Context context) throws IOException {
      words.add(new Scanner(cacheName(context)).next());
      words.add(new Scanner(new File(context.getConfiguration().get("words.file"))).next());
    }
  }

  static class StreamOfAnotherFile extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      FSDataInputStream in = fs.open(new Path(context.getCacheFiles()[0]));
      words.add("" + in.read());
      in = fs.open(new Path(context.getConfiguration().get("words.file")));
      words.add("" + in.read());
    }
  }

  static class SequenceFileFromProperty extends Filter {
    @Override
    void load(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      Path path = new Path(conf.get("words.file"));
      new SequenceFile.Reader(conf, SequenceFile.Reader.file(path)).close();
    }
  }
}
