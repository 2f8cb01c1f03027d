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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is noticed of a job's files between their digests and their upload. */
class CacheFileWatchTest {
  @TempDir private Path temporary;
  private final JobConf job = new JobConf();

  private Path file(String name, String content) throws IOException {
    return Files.writeString(temporary.resolve(name), content);
  }

  @Test
  void theJobsJarIsWatchedAlsoWhenStockHasNamedItsCopy() throws Exception {
    Path jar = file("job.jar", "one");
    job.setJar(jar.toString());
    CacheFileWatch.begin(job);
    assertThat(CacheFileWatch.changed(job)).isEmpty();

    file("job.jar", "two");
    job.setJar("/staging/job.jar");

    assertThat(CacheFileWatch.changed(job)).get().asString().contains(jar.toString());
    assertThat(CacheFileWatch.sharedFileChanged(job)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        MRJobConfig.CACHE_FILES,
        MRJobConfig.CACHE_ARCHIVES,
        "tmpjars",
        "tmpfiles",
        "tmparchives",
        MRJobConfig.FILES_FOR_SHARED_CACHE,
        MRJobConfig.FILES_FOR_CLASSPATH_AND_SHARED_CACHE,
        MRJobConfig.ARCHIVES_FOR_SHARED_CACHE
      })
  void filesThatTasksAreGivenAreWatched(String property) throws Exception {
    job.set(property, file("one", "one").toUri() + "," + file("two", "two").toUri() + "#link");
    CacheFileWatch.begin(job);
    assertThat(CacheFileWatch.changed(job)).isEmpty();

    file("two", "another two");

    assertThat(CacheFileWatch.changed(job)).get().asString().endsWith("two");
  }

  @Test
  void aFileDeepInADirectoryIsWatched() throws Exception {
    Files.createDirectories(temporary.resolve("dir/sub"));
    file("dir/sub/one", "one");
    job.set("tmpfiles", temporary.resolve("dir").toUri().toString());
    CacheFileWatch.begin(job);
    assertThat(CacheFileWatch.changed(job)).isEmpty();

    file("dir/sub/one", "two");

    assertThat(CacheFileWatch.changed(job)).get().asString().contains("dir");
  }

  @Test
  void aFileThatIsGoneHasChanged() throws Exception {
    job.set("tmpfiles", file("one", "one").toUri().toString());
    CacheFileWatch.begin(job);
    Files.delete(temporary.resolve("one"));

    assertThat(CacheFileWatch.changed(job)).get().asString().contains("one");
  }
}
