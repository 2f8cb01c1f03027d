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
package org.freshet.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.NewMappers;
import org.freshet.it.jobs.NewReducers;
import org.freshet.it.jobs.SideFileMapper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a job computes is changed between two runs: nothing of the old program may be reused. */
@Tag("faults")
class LineageChangeIT {
  private static final String MAPPER =
      """
      package user;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.Mapper;
      public class WordMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        protected void map(LongWritable offset, Text line, Context context)
            throws java.io.IOException, InterruptedException {
          for (String word : line.toString().split(" ")) {
            context.write(new Text(Suffix.of(word)), new IntWritable(1));
          }
        }
      }
      """;

  private Path work;
  private SideBySide sides;
  private Consumer<JobConf> job;

  @BeforeEach
  void writeInput() throws IOException {
    work = WorkDirectory.fresh("lineage");
    sides =
        new SideBySide(
            new org.apache.hadoop.fs.Path(work.toString(), "job"),
            LocalHadoop.stock(work.resolve("tmp-stock")),
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 256, 3),
            conf -> {
              // A main method that RunJar starts makes its configuration under this loader.
              conf.setClassLoader(Thread.currentThread().getContextClassLoader());
              conf.set(MRJobConfig.COMBINE_CLASS_ATTR, NewReducers.Sum.class.getName());
              conf.set(MRJobConfig.REDUCE_CLASS_ATTR, NewReducers.Sum.class.getName());
              conf.setOutputKeyClass(Text.class);
              conf.setOutputValueClass(IntWritable.class);
              job.accept(conf);
            });
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      lines.add("line " + i + " of words that are counted, some " + i % 7 + " times");
    }
    sides.put("part-0", lines);
  }

  private static String suffix(String text) {
    return "package user; class Suffix { static String of(String word) { return word + \"%s\"; } }"
        .formatted(text);
  }

  /** Runs with the user's classes visible, as RunJar makes them. */
  private JobOutcome assertEqualToStock(Path... jars) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] urls = new URL[jars.length];
    for (int i = 0; i < jars.length; i++) {
      urls[i] = jars[i].toUri().toURL();
    }
    try (URLClassLoader classes = new URLClassLoader(urls, before)) {
      thread.setContextClassLoader(classes);
      return sides.assertEqualToStock();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static void assertNothingKept(JobOutcome run) {
    assertThat(run.counter("Freshet", "CHUNKS_KEPT")).as("chunks kept").isZero();
    assertThat(run.counter("Freshet", "REDUCES_REUSED")).as("reduces reused").isZero();
  }

  private static void assertAllKept(JobOutcome run) {
    assertThat(run.counter("Freshet", "CHUNKS_ADDED")).as("chunks mapped").isZero();
    assertThat(run.counter("Freshet", "CHUNKS_KEPT"))
        .as("chunks kept, counters %s", run.counters())
        .isPositive();
  }

  @Test
  void aChangedClassInTheJobJarIsAnotherProgram() throws IOException {
    Path jar = work.resolve("user.jar");
    job =
        conf -> {
          conf.setJar(jar.toUri().toString());
          conf.set(MRJobConfig.MAP_CLASS_ATTR, "user.WordMapper");
        };
    UserJar.build(jar, Map.of("user.WordMapper", MAPPER, "user.Suffix", suffix("")));
    assertEqualToStock(jar);
    assertAllKept(assertEqualToStock(jar));

    UserJar.build(jar, Map.of("user.WordMapper", MAPPER, "user.Suffix", suffix("!")));
    assertNothingKept(assertEqualToStock(jar));
    assertAllKept(assertEqualToStock(jar));

    UserJar.build(jar, Map.of("user.WordMapper", MAPPER, "user.Suffix", suffix("")));
    assertEqualToStock(jar);
  }

  @Test
  void aChangedLibraryIsAnotherProgram() throws IOException {
    Path library = work.resolve("library.jar");
    Path jar = work.resolve("user.jar");
    UserJar.build(library, Map.of("user.Suffix", suffix("")));
    UserJar.build(jar, Map.of("user.WordMapper", MAPPER), library);
    job =
        conf -> {
          conf.setJar(jar.toUri().toString());
          conf.set("tmpjars", library.toUri().toString());
          conf.set(MRJobConfig.MAP_CLASS_ATTR, "user.WordMapper");
        };
    assertEqualToStock(jar, library);
    assertAllKept(assertEqualToStock(jar, library));

    UserJar.build(library, Map.of("user.Suffix", suffix("?")));
    assertNothingKept(assertEqualToStock(jar, library));
  }

  @Test
  void aChangedCacheFileIsAnotherProgram() throws IOException {
    Path stopWords = work.resolve("stop-words-" + System.nanoTime());
    Files.writeString(stopWords, "of\nare\n");
    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, SideFileMapper.class.getName());
          conf.set(MRJobConfig.CACHE_FILES, stopWords.toUri().toString());
        };
    assertEqualToStock();
    assertAllKept(assertEqualToStock());

    Files.writeString(stopWords, "of\nwords\n");
    assertNothingKept(assertEqualToStock());
  }

  @Test
  void aChangedPropertyThatUserCodeReadsIsAnotherProgram() throws IOException {
    String[] salt = {"one"};
    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, NewMappers.Tokens.class.getName());
          conf.set(MRJobConfig.REDUCE_CLASS_ATTR, NewReducers.SaltedSum.class.getName());
          conf.setMapOutputValueClass(IntWritable.class);
          conf.setOutputValueClass(Text.class);
          conf.set("it.salt", salt[0]);
        };
    assertEqualToStock();
    assertAllKept(assertEqualToStock());
    salt[0] = "two";
    assertNothingKept(assertEqualToStock());
    salt[0] = "one";
    assertEqualToStock();
  }

  @Test
  void aNewNameOfTheJobIsTheSameProgram() throws IOException {
    String[] name = {"monday"};
    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, NewMappers.Tokens.class.getName());
          conf.setJobName(name[0]);
        };
    assertEqualToStock();
    name[0] = "tuesday";
    assertAllKept(assertEqualToStock());
  }
}
