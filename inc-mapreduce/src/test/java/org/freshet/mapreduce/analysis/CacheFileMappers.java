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
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Scanner;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.filecache.DistributedCache;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MapFile;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;

/** Mappers that read cache files, and nothing else, in the ways that jobs do; only read. */
@SuppressWarnings({"DefaultCharset", "deprecation", "StreamResourceLeak"})
final class CacheFileMappers {

  private CacheFileMappers() {}

  /** What all have in common: words that are left out. */
  abstract static class Filter extends Mapper<LongWritable, Text, Text, IntWritable> {
    final Set<String> words = new HashSet<>();

    abstract void load(Context context) throws IOException;

    @Override
    protected void setup(Context context) throws IOException {
      load(context);
    }

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (!words.contains(line.toString())) {
        context.write(line, new IntWritable(1));
      }
    }

    final void addAll(BufferedReader lines) throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        words.add(line);
      }
    }
  }

  /** Opens the file by its URI, through the file system that the URI names. */
  static class FirstByUri extends Filter {
    @Override
    void load(Context context) throws IOException {
      Path file = new Path(context.getCacheFiles()[0]);
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(
                  file.getFileSystem(context.getConfiguration()).open(file),
                  StandardCharsets.UTF_8))) {
        lines.lines().forEach(words::add);
      }
    }
  }

  /** The shape of the second word count of Hadoop's tutorial. */
  static class Tutorial extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final Set<String> patternsToSkip = new HashSet<>();
    private BufferedReader fis;

    @Override
    public void setup(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      if (conf.getBoolean("wordcount.skip.patterns", false)) {
        URI[] patternsURIs = Job.getInstance(conf).getCacheFiles();
        for (URI patternsURI : patternsURIs) {
          Path patternsPath = new Path(patternsURI.getPath());
          String patternsFileName = patternsPath.getName().toString();
          parseSkipFile(patternsFileName);
        }
      }
    }

    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (!patternsToSkip.contains(line.toString())) {
        context.write(line, new IntWritable(1));
      }
    }

    private void parseSkipFile(String fileName) {
      try {
        fis = new BufferedReader(new FileReader(fileName));
        String pattern = null;
        while ((pattern = fis.readLine()) != null) {
          patternsToSkip.add(pattern);
        }
      } catch (IOException ioe) {
        System.err.println("Caught exception while parsing the cached file");
      }
    }
  }

  static class ConstantLink extends Filter {
    private static final String NAME = "stop-words";

    @Override
    void load(Context context) throws IOException {
      words.addAll(Files.readAllLines(Paths.get(NAME)));
      words.addAll(Files.readAllLines(java.nio.file.Path.of("./stop-words")));
    }
  }

  static class LocalCopy extends Filter {
    @Override
    void load(Context context) throws IOException {
      Path[] files = context.getLocalCacheFiles();
      if (files != null && files.length > 0) {
        addAll(new BufferedReader(new FileReader(files[0].toString())));
        addAll(
            new BufferedReader(
                new InputStreamReader(
                    FileSystem.getLocal(context.getConfiguration()).open(files[0]))));
      }
    }
  }

  static class OldCache extends Filter {
    @Override
    void load(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      for (Path file : DistributedCache.getLocalCacheFiles(conf)) {
        try (Scanner scanner = new Scanner(new File(file.toUri().getPath()))) {
          words.add(scanner.next());
        }
      }
      Path remote = new Path(DistributedCache.getCacheFiles(conf)[0].toString());
      FileSystem.get(conf).open(remote).close();
    }
  }

  static class PathOnDefaultFileSystem extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      Path path = new Path(context.getCacheFiles()[0].getPath());
      if (fs.exists(path)) {
        byte[] all = new byte[(int) fs.getFileStatus(path).getLen()];
        try (FSDataInputStream in = fs.open(path)) {
          in.readFully(0, all);
        }
        words.add(new String(all, StandardCharsets.UTF_8));
      }
    }
  }

  static class FileSystemOfUri extends Filter {
    @Override
    void load(Context context) throws IOException {
      URI uri = context.getCacheFiles()[0];
      try (FileSystem fs = FileSystem.get(uri, context.getConfiguration())) {
        addAll(new BufferedReader(new InputStreamReader(fs.open(new Path(uri)))));
      }
    }
  }

  static class Iterated extends Filter {
    @Override
    void load(Context context) throws IOException {
      for (URI uri : Arrays.asList(context.getCacheFiles())) {
        File file = new File(new Path(uri).getName());
        if (file.exists() && file.length() > 0) {
          try (InputStream in = new FileInputStream(file)) {
            words.add(Integer.toString(in.read()));
          }
        }
      }
    }
  }

  static class BinaryFiles extends Filter {
    @Override
    void load(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      Path path = new Path(context.getCacheFiles()[0]);
      Text key = new Text();
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(path))) {
        while (reader.next(key)) {
          words.add(key.toString());
        }
      }
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(path.getFileSystem(conf), path, conf)) {
        reader.next(key);
      }
      try (MapFile.Reader reader = new MapFile.Reader(path, conf)) {
        reader.finalKey(key);
      }
    }
  }

  static class KeptInFields extends Filter {
    private FileSystem fs;
    private Path path;

    @Override
    void load(Context context) throws IOException {
      fs = FileSystem.get(context.getConfiguration());
      path = first(context);
      read();
    }

    private static Path first(Context context) throws IOException {
      return new Path(context.getCacheFiles()[0]);
    }

    void read() throws IOException {
      addAll(new BufferedReader(new InputStreamReader(fs.open(path))));
    }
  }

  static class ReadByAnotherClass extends Filter {
    @Override
    void load(Context context) throws IOException {
      new WordList(context.getCacheFiles()[0]).into(words);
    }
  }

  static final class WordList {
    private final String name;

    WordList(URI uri) {
      this.name = new File(uri.getPath()).getName();
    }

    void into(Set<String> words) throws IOException {
      words.addAll(Files.readAllLines(Paths.get(name)));
    }
  }

  static class CapturedByLambda extends Filter {
    @Override
    void load(Context context) throws IOException {
      String name = new Path(context.getCacheFiles()[0]).getName();
      Runnable read =
          () -> {
            try {
              words.addAll(Files.readAllLines(Paths.get(name)));
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          };
      read.run();
    }
  }

  static class NullUntilFound extends Filter {
    @Override
    void load(Context context) throws IOException {
      String found = null;
      for (URI uri : context.getCacheFiles()) {
        if (uri.getPath().endsWith("words")) {
          found = new Path(uri.getPath()).getName();
        }
      }
      words.addAll(Files.readAllLines(Paths.get(found)));
    }
  }

  static class AbsoluteFile extends Filter {
    @Override
    void load(Context context) throws IOException {
      words.addAll(Files.readAllLines(new File(context.getCacheFiles()[0]).toPath()));
    }
  }

  static class ExistsOnly extends Filter {
    @Override
    void load(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      words.add(Boolean.toString(fs.exists(new Path(context.getCacheFiles()[0]))));
    }
  }

  /** Opens no file at all. */
  static class FileSystemUnused extends Filter {
    @Override
    void load(Context context) throws IOException {
      if (FileSystem.get(context.getConfiguration()) == null) {
        throw new IOException("no file system");
      }
    }
  }
}
