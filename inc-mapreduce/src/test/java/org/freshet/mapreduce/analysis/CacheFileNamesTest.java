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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.freshet.mapreduce.analysis.CacheFileNames.Form;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CacheFileNamesTest {

  private final Configuration conf = new Configuration(false);

  @BeforeEach
  void useACluster() {
    conf.set("fs.defaultFS", "hdfs://one:8020");
    conf.set("mapreduce.framework.name", "yarn");
  }

  private CacheFileNames declaring(String files) {
    conf.set("mapreduce.job.cache.files", files);
    return CacheFileNames.declaredBy(conf);
  }

  @Test
  void aPlainFileOnTheDefaultFileSystemIsKnownByAllItsNames() {
    assertThat(declaring("hdfs://one:8020/cache/words"))
        .isEqualTo(new CacheFileNames(Set.of("words"), EnumSet.allOf(Form.class)));
    assertThat(declaring("/cache/words"))
        .isEqualTo(new CacheFileNames(Set.of("words"), EnumSet.allOf(Form.class)));
  }

  @Test
  void aFragmentIsTheLinkAndSpoilsTextAndLastComponent() {
    assertThat(declaring("hdfs://one:8020/cache/words#stop,hdfs://one:8020/cache/more"))
        .isEqualTo(new CacheFileNames(Set.of("stop", "more"), Set.of(Form.URI, Form.PATH)));
  }

  @Test
  void aFileElsewhereIsNotKnownByItsPath() {
    assertThat(declaring("hdfs://two:8020/cache/words").sufficient())
        .containsExactlyInAnyOrder(Form.URI, Form.TEXT, Form.LAST_COMPONENT);
  }

  @Test
  void urisThatDependOnTheFileSystemAtHandProveNothing() {
    assertThat(declaring("hdfs://two:8020/cache/words,/cache/more").sufficient())
        .containsExactly(Form.LAST_COMPONENT);
    assertThat(declaring("cache/words").sufficient()).containsExactly(Form.LAST_COMPONENT);
  }

  @Test
  void uploadedFilesHaveLinksAndAnUnknownText() {
    conf.set("tmpfiles", "file:/home/me/words,file:/home/me/more#others");
    assertThat(CacheFileNames.declaredBy(conf))
        .isEqualTo(new CacheFileNames(Set.of("words", "others"), Set.of(Form.URI, Form.PATH)));
  }

  @Test
  void aRenamedLibrarySpoilsTheLastComponentButIsNoLink() {
    conf.set("tmpjars", "file:/home/me/library.jar#renamed.jar");
    assertThat(declaring("/cache/words"))
        .isEqualTo(new CacheFileNames(Set.of("words"), Set.of(Form.URI, Form.TEXT, Form.PATH)));
  }

  @Test
  void noFilesAndMalformedOnesAreNone() {
    assertThat(CacheFileNames.declaredBy(conf)).isEqualTo(CacheFileNames.NONE);
    assertThat(declaring("hdfs://one:8020/a b")).isEqualTo(CacheFileNames.NONE);
  }

  @Test
  void aLocalRunFindsTheFileThatIsInItsDirectoryAlready() throws IOException {
    Path there = Files.createTempFile(Path.of(""), "words", "");
    try {
      String name = there.getFileName().toString();
      assertThat(declaring("hdfs://one:8020/cache/" + name).links()).contains(name);

      conf.set("mapreduce.framework.name", "local");
      CacheFileNames shadowed = declaring("hdfs://one:8020/cache/" + name);
      assertThat(shadowed.links()).isEmpty();
      assertThat(shadowed.sufficient()).doesNotContain(Form.LAST_COMPONENT);
      assertThat(declaring(there.toAbsolutePath().toUri().toString()).links()).contains(name);
    } finally {
      Files.delete(there);
    }
  }
}
