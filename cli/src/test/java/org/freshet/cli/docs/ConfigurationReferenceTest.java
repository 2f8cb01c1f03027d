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
package org.freshet.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.freshet.cli.program.Installation;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.junit.jupiter.api.Test;

class ConfigurationReferenceTest {
  @Test
  void thePageIsWhatTheCodeDeclares() throws Exception {
    Path page = Installation.find().root().resolve("docs/configuration.md");
    assertThat(page)
        .as("the page is made from the code; run in the repository: %s", command())
        .exists();
    assertThat(Files.readString(page))
        .as("docs/configuration.md is stale; run in the repository: %s", command())
        .isEqualTo(ConfigurationReference.markdown());
  }

  private static String command() {
    return ConfigurationReference.COMMAND;
  }

  @Test
  void everyKeyIsThereWithItsDefault() {
    assertThat(ConfigurationReference.markdown().lines())
        .anyMatch(
            line ->
                line.startsWith(
                    "| `freshet.chunk.average.bytes` | `bytes` | `4194304` | 256 to 256m |"));
    for (ConfigKey key : ConfigurationReference.keys()) {
      assertThat(ConfigurationReference.markdown()).contains("| `" + key.name() + "` |");
    }
  }

  @Test
  void everyDeclaredKeyIsListed() throws Exception {
    assertThat(constants(FreshetKeys.class, ConfigKey.class))
        .containsExactlyInAnyOrderElementsOf(FreshetKeys.ALL);
    assertThat(constants(HdfsKeys.class, ConfigKey.class))
        .containsExactlyInAnyOrderElementsOf(HdfsKeys.ALL);
  }

  @Test
  void everyDeclaredCounterIsListed() throws Exception {
    List<String> names = constants(FreshetCounters.class, String.class);
    names.removeAll(List.of(FreshetCounters.GROUP, FreshetCounters.FALLBACK_GROUP));
    assertThat(FreshetCounters.ALL)
        .extracting(FreshetCounters.Counter::name)
        .containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void everyFallbackReasonIsThereWithItsAdvice() {
    List<String> lines = ConfigurationReference.markdown().lines().toList();
    for (FallbackReason reason : FallbackReason.values()) {
      assertThat(lines)
          .anyMatch(line -> line.matches("\\| `" + reason + "` \\| .+ \\| .{20,} \\|"));
    }
  }

  private static <T> List<T> constants(Class<?> owner, Class<T> type) throws Exception {
    List<T> values = new ArrayList<>();
    for (Field field : owner.getFields()) {
      if (field.getType() == type && !field.getName().equals("FRAMEWORK")) {
        values.add(type.cast(field.get(null)));
      }
    }
    return values;
  }
}
