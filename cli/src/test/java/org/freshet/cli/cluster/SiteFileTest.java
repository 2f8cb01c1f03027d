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
package org.freshet.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteFileTest {
  @TempDir private Path dir;

  @Test
  void hadoopReadsWhatWasWritten() throws Exception {
    Path file = dir.resolve("core-site.xml");
    SiteFile.of(Map.of("a", "1 < 2 & \"x\"", "b", "über", "c", "${a} raw")).write(file);
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    assertThat(conf.get("a")).isEqualTo("1 < 2 & \"x\"");
    assertThat(conf.get("b")).isEqualTo("über");
    assertThat(conf.getRaw("c")).isEqualTo("${a} raw");
    assertThat(SiteFile.read(file).properties()).hasSize(3);
  }

  @Test
  void keepsFinalPropertiesFinal() throws Exception {
    Path stock = dir.resolve("mapred-site.xml");
    Files.writeString(
        stock,
        "<configuration><property><name>x</name><value>1</value><final>true</final></property>"
            + "<property><name>y</name><value>2</value></property></configuration>");
    Path copy = dir.resolve("copy.xml");
    SiteFile.read(stock).with(Map.of("z", "3")).write(copy);
    assertThat(SiteFile.read(copy).finals()).containsExactly("x");
    assertThat(SiteFile.read(copy).properties()).isEqualTo(Map.of("x", "1", "y", "2", "z", "3"));
  }

  @Test
  void aMissingFileHasNoProperties() {
    assertThat(SiteFile.read(dir.resolve("none.xml")).properties()).isEmpty();
  }
}
