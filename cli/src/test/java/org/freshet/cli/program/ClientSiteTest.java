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
package org.freshet.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.freshet.cli.cluster.SiteFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientSiteTest {
  @TempDir private Path dir;
  private Path conf;
  private Path site;

  @BeforeEach
  void writeClusterConfiguration() throws Exception {
    conf = Files.createDirectories(dir.resolve("conf"));
    site = Files.createDirectories(dir.resolve("site"));
    SiteFile.of(Map.of("mapreduce.framework.name", "yarn", "mapreduce.task.io.sort.mb", "64"))
        .write(conf.resolve("mapred-site.xml"));
    SiteFile.of(Map.of("fs.defaultFS", "hdfs://localhost:1")).write(conf.resolve("core-site.xml"));
  }

  @Test
  void freshetTakesTheFrameworksPlaceAndDelegatesToIt() throws Exception {
    ClientSite.write(program(false, Optional.of(conf), Map.of()), site);
    assertThat(mapred())
        .containsEntry("mapreduce.framework.name", "freshet")
        .containsEntry("freshet.delegate", "yarn")
        .containsEntry("mapreduce.task.io.sort.mb", "64");
  }

  @Test
  void aStockRunKeepsTheClustersConfigurationAsItIs() throws Exception {
    ClientSite.write(program(true, Optional.of(conf), Map.of()), site);
    for (String name : List.of("mapred-site.xml", "core-site.xml", "yarn-site.xml")) {
      assertThat(SiteFile.read(site.resolve(name))).isEqualTo(SiteFile.read(conf.resolve(name)));
    }
  }

  @Test
  void withoutAClusterTheLocalJobRunnerRunsUnderneath() throws Exception {
    ClientSite.write(program(false, Optional.empty(), Map.of()), site);
    assertThat(mapred())
        .containsEntry("mapreduce.framework.name", "freshet")
        .containsEntry("freshet.delegate", "local")
        .doesNotContainKey("fs.defaultFS");
    assertThat(site.resolve("log4j.properties")).exists();
  }

  @Test
  void aPropertyOfTheCommandLineHoldsInWhicheverFileHadoopLoadsLast() throws Exception {
    ClientSite.write(program(true, Optional.of(conf), Map.of("dfs.replication", "1")), site);
    for (String name :
        List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")) {
      assertThat(SiteFile.read(site.resolve(name)).properties())
          .containsEntry("dfs.replication", "1");
    }
  }

  @Test
  void aPropertyOfTheCommandLineIsToldFromTheClusters() throws Exception {
    ClientSite.write(program(false, Optional.of(conf), Map.of("my.threshold", "3")), site);
    Configuration read = new Configuration(false);
    read.addResource(new org.apache.hadoop.fs.Path(site.resolve("mapred-site.xml").toUri()));
    assertThat(read.getPropertySources("my.threshold")).startsWith("freshet run -D");
    assertThat(read.getPropertySources("mapreduce.task.io.sort.mb"))
        .singleElement()
        .asString()
        .endsWith("mapred-site.xml");
  }

  @Test
  void aDelegateThatTheUserNamesIsKept() {
    assertThat(
            ClientSite.overrides(
                program(false, Optional.of(conf), Map.of("freshet.delegate", "local"))))
        .containsEntry("freshet.delegate", "local")
        .containsEntry("mapreduce.framework.name", "freshet");
  }

  @Test
  void aFrameworkThatTheUserNamesRunsUnderneath() {
    assertThat(
            ClientSite.overrides(
                program(false, Optional.of(conf), Map.of("mapreduce.framework.name", "local"))))
        .containsEntry("freshet.delegate", "local")
        .containsEntry("mapreduce.framework.name", "freshet");
  }

  private Map<String, String> mapred() {
    return SiteFile.read(site.resolve("mapred-site.xml")).properties();
  }

  private static Program program(
      boolean stock, Optional<Path> conf, Map<String, String> properties) {
    return new Program(stock, conf, properties, List.of(), Path.of("x.jar"), List.of());
  }
}
