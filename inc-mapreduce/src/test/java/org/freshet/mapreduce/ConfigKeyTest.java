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
package org.freshet.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigKeyTest {
  private final Configuration conf = new Configuration(false);

  private static void assertNames(ThrowingRead read, String name, String value, String expected) {
    assertThatThrownBy(read::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name)
        .hasMessageContaining("'" + value + "'")
        .hasMessageContaining(expected);
  }

  private interface ThrowingRead {
    void run();
  }

  @Test
  void whatIsNotSetIsTheDefault() {
    assertThat(FreshetKeys.ENABLED.getBoolean(conf)).isTrue();
    assertThat(FreshetKeys.STRICT.getBoolean(conf)).isFalse();
    assertThat(FreshetKeys.TREE_FAN_IN.getInt(conf, 2, 1024)).isEqualTo(8);
    assertThat(HdfsKeys.CHUNK_AVERAGE.getBytes(conf, 256, 1L << 30)).isEqualTo(4 << 20);
    assertThat(FreshetKeys.UBER.getChoice(conf, FreshetKeys.Uber.class))
        .isEqualTo(FreshetKeys.Uber.AUTO);
    assertThat(FreshetKeys.DELEGATE.get(conf)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true, true", "' TRUE ', true", "False, false"})
  void booleansMayHaveSpacesAndCapitals(String value, boolean expected) {
    conf.set("freshet.strict", value);

    assertThat(FreshetKeys.STRICT.getBoolean(conf)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "1", "truee"})
  void otherBooleansAreErrors(String value) {
    conf.set("freshet.strict", value);

    assertNames(
        () -> FreshetKeys.STRICT.getBoolean(conf), "freshet.strict", value, "true or false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1025", "-8", "8.0", "eight", "99999999999"})
  void integersOutOfRangeAreErrors(String value) {
    conf.set("freshet.tree.fan.in", value);

    assertNames(
        () -> FreshetKeys.TREE_FAN_IN.getInt(conf, 2, 1024),
        "freshet.tree.fan.in",
        value,
        "an integer from 2 to 1024");
  }

  @ParameterizedTest
  @CsvSource({"2, 2", "1024, 1024", "' 16 ', 16"})
  void boundsOfAnIntegerAreIncluded(String value, int expected) {
    conf.set("freshet.tree.fan.in", value);

    assertThat(FreshetKeys.TREE_FAN_IN.getInt(conf, 2, 1024)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"256, 256", "64k, 65536", "1M, 1048576", "1g, 1073741824", "' 2m ', 2097152"})
  void bytesMayHaveBinarySuffixes(String value, long expected) {
    conf.set("freshet.chunk.average.bytes", value);

    assertThat(HdfsKeys.CHUNK_AVERAGE.getBytes(conf, 256, 1L << 30)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "255", "2g", "-1", "4 megabytes", "4x", "k", "9999999999999g"})
  void bytesOutOfRangeAreErrors(String value) {
    conf.set("freshet.chunk.average.bytes", value);

    assertNames(
        () -> HdfsKeys.CHUNK_AVERAGE.getBytes(conf, 256, 1L << 30),
        "freshet.chunk.average.bytes",
        value.trim(),
        "a number of bytes from 256 to 1073741824");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "NaN", "-0.1", "1.1", "half", "Infinity"})
  void fractionsOutOfRangeAreErrors(String value) {
    ConfigKey key =
        new ConfigKey("some.fraction", ConfigKey.Type.DOUBLE, "0.5", "0 to 1", "A fraction.");
    assertThat(key.getFraction(conf)).isEqualTo(0.5);
    conf.set("some.fraction", value);

    assertNames(() -> key.getFraction(conf), "some.fraction", value, "a fraction from 0 to 1");
  }

  @Test
  void aChoiceIsReadInAnyCaseAndAnotherNamesWhatThereIs() {
    conf.set("freshet.code.hazards", "Ignore");
    assertThat(FreshetKeys.CODE_HAZARDS.getChoice(conf, FreshetKeys.CodeHazards.class))
        .isEqualTo(FreshetKeys.CodeHazards.IGNORE);
    conf.set("freshet.code.hazards", "warn");

    assertNames(
        () -> FreshetKeys.CODE_HAZARDS.getChoice(conf, FreshetKeys.CodeHazards.class),
        "freshet.code.hazards",
        "warn",
        "fallback, ignore");
  }

  @Test
  void everyDeclaredKeyIsListedOnceUnderFreshetsPrefix() throws IllegalAccessException {
    List<ConfigKey> declared = new ArrayList<>();
    for (var field : FreshetKeys.class.getDeclaredFields()) {
      if (field.getType() == ConfigKey.class && Modifier.isPublic(field.getModifiers())) {
        declared.add((ConfigKey) field.get(null));
      }
    }

    assertThat(FreshetKeys.ALL).containsExactlyElementsOf(declared);
    assertThat(FreshetKeys.ALL)
        .allSatisfy(
            key -> {
              assertThat(key.name()).matches("freshet\\.[a-z.]+");
              assertThat(key.description()).endsWith(".");
              assertThat(key.range()).isNotBlank();
            });
  }

  @Test
  void everyDefaultIsAValueOfItsType() {
    for (ConfigKey key : FreshetKeys.ALL) {
      assertThatCode(
              () -> {
                switch (key.type()) {
                  case BOOLEAN -> key.getBoolean(conf);
                  case INTEGER -> key.getInt(conf, 0, Integer.MAX_VALUE);
                  case BYTES -> key.getBytes(conf, 0, Long.MAX_VALUE);
                  case DOUBLE -> key.getFraction(conf);
                  case CHOICE ->
                      assertThat((key.range() + ", ").replace("; empty", ", "))
                          .contains(key.defaultValue() + ", ");
                  case PATH -> assertThat(key.defaultValue()).isEmpty();
                }
              })
          .as(key.name())
          .doesNotThrowAnyException();
    }
  }

  @Test
  void theStoreIsFullyQualifiedAndInTheHomeDirectoryUnlessNamed() throws Exception {
    Configuration stock = new Configuration();
    assertThat(FreshetKeys.store(stock).toString())
        .isEqualTo("file:" + System.getProperty("user.home") + "/.freshet/store");

    stock.set("freshet.store", "/some/where");
    assertThat(FreshetKeys.store(stock)).isEqualTo(new Path("file:/some/where"));
  }

  @Test
  void countersHaveNamesOfTheirOwn() throws IllegalAccessException {
    Set<String> names = new HashSet<>();
    for (var field : FreshetCounters.class.getDeclaredFields()) {
      if (field.getType() == String.class && Modifier.isPublic(field.getModifiers())) {
        assertThat(names.add((String) field.get(null))).as(field.getName()).isTrue();
      }
    }
    assertThat(names).contains(FreshetCounters.GROUP, FreshetCounters.FALLBACK_GROUP);
    // A fallback's counter is named for its reason, in a group of its own.
    assertThat(Arrays.stream(FallbackReason.values()).map(Enum::name))
        .doesNotContainAnyElementsOf(names);
  }

  @Test
  void aFallbackSaysItsReasonWhatThatMeansAndWhatWasFound() {
    Exception cause = new Exception("cause");

    assertThat(new FallbackException(FallbackReason.NO_REDUCE, ""))
        .hasMessage("NO_REDUCE: " + FallbackReason.NO_REDUCE.description());
    assertThat(new FallbackException(FallbackReason.INPUT_UNSTABLE, "a.txt", cause))
        .hasMessageEndingWith("(a.txt)")
        .hasCause(cause);
  }
}
