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

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.MRConfig;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.report.FallbackAdvice;

/**
 * The page {@code docs/configuration.md}: every key, counter and fallback reason of incremental
 * MapReduce, as the code declares them.
 */
public final class ConfigurationReference {
  /** What writes the page, in the repository's root. */
  public static final String COMMAND = "bin/freshet docs configuration > docs/configuration.md";

  private ConfigurationReference() {}

  /** The page in Markdown, with a line feed at the end of each line. */
  public static String markdown() {
    StringBuilder page = new StringBuilder();
    page.append("<!-- Generated from the code, do not edit. To write it anew: ");
    page.append(COMMAND).append(" -->\n\n");
    page.append("# Configuration reference\n\n");
    page.append("Freshet is switched on by `").append(MRConfig.FRAMEWORK_NAME).append('=');
    page.append(FreshetKeys.FRAMEWORK).append("`, with its jar on the class path of the client");
    page.append(" that submits the job.\nEverything else has a default.");
    page.append(" Keys are read from the job's configuration:");
    page.append(" a site file, `-D name=value`, or the program.\n");
    keys(page);
    counters(page);
    reasons(page);
    return page.toString();
  }

  /** All keys, in the order of the page. */
  static List<ConfigKey> keys() {
    return Stream.of(FreshetKeys.ALL, HdfsKeys.ALL).flatMap(List::stream).toList();
  }

  private static void keys(StringBuilder page) {
    page.append("\n## Keys\n\n");
    page.append("Bytes take the suffixes `k`, `m`, `g` and `t`, which are powers of 1024.");
    page.append(" A value out of range is an error that names the key.\n\n");
    page.append("| key | type | default | range | meaning |\n");
    page.append("|---|---|---|---|---|\n");
    for (ConfigKey key : keys()) {
      row(
          page,
          code(key.name()),
          code(key.type().name().toLowerCase(Locale.ROOT)),
          key.defaultValue().isEmpty() ? "(empty)" : code(key.defaultValue()),
          key.range(),
          key.description());
    }
  }

  private static void counters(StringBuilder page) {
    page.append("\n## Counters\n\n");
    page.append("Freshet adds these to a job's own, in the group `");
    page.append(FreshetCounters.GROUP).append("`; one that is zero may be absent.");
    page.append(" The counters of the program itself are those of a stock run.\n\n");
    page.append("| counter | meaning |\n|---|---|\n");
    for (FreshetCounters.Counter counter : FreshetCounters.ALL) {
      row(page, code(counter.name()), counter.description());
    }
  }

  private static void reasons(StringBuilder page) {
    page.append("\n## Reasons to run as stock\n\n");
    page.append("A job that Freshet can't make incremental runs just as it would without it.");
    page.append(
        " The reason is logged, shown by `freshet explain`, and counted as 1 in the group `");
    page.append(FreshetCounters.FALLBACK_GROUP).append("`.\nWith `");
    page.append(FreshetKeys.STRICT.name()).append("=true` such a job fails instead.\n\n");
    page.append("| reason | meaning | what to do |\n|---|---|---|\n");
    for (FallbackReason reason : FallbackReason.values()) {
      row(page, code(reason.name()), reason.description(), FallbackAdvice.on(reason));
    }
  }

  private static void row(StringBuilder page, String... cells) {
    page.append('|');
    for (String cell : cells) {
      page.append(' ').append(cell.replace("|", "\\|")).append(" |");
    }
    page.append('\n');
  }

  private static String code(String text) {
    return '`' + text + '`';
  }
}
