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

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.MRConfig;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.cluster.SiteFile;
import org.freshet.mapreduce.FreshetKeys;

/**
 * The configuration directory of one run: the cluster's site files with a few properties replaced.
 *
 * <p>A program that does not read generic options takes its configuration from the site files
 * alone, so this is the one place where every program can be told something. The properties go into
 * each site file, because Hadoop lets the file that is loaded last win and which that is depends on
 * the classes a program touches.
 */
final class ClientSite {
  private static final String LOG4J = "log4j.properties";
  private static final List<String> SITES =
      List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml");

  /**
   * Tells a property of this one run from those of the cluster, which all runs share; no name of a
   * file.
   */
  static final String COMMAND_LINE = "freshet run -D";

  private ClientSite() {}

  /**
   * Writes the directory.
   *
   * @param program what will run with it
   * @param directory an existing, empty directory
   */
  static void write(Program program, Path directory) throws IOException {
    Map<String, String> overrides = overrides(program);
    for (String site : SITES) {
      SiteFile stock =
          program
              .conf()
              .map(conf -> SiteFile.read(conf.resolve(site)))
              .orElse(SiteFile.of(Map.of()));
      stock
          .with(overrides)
          .withSource(program.properties().keySet(), COMMAND_LINE)
          .write(directory.resolve(site));
    }
    if (program.conf().filter(conf -> Files.exists(conf.resolve(LOG4J))).isEmpty()) {
      try (InputStream in = LocalCluster.class.getResourceAsStream(LOG4J)) {
        Files.copy(in, directory.resolve(LOG4J));
      }
    }
  }

  /** What the program's configuration shall say, whatever the cluster's says. */
  static Map<String, String> overrides(Program program) {
    Map<String, String> overrides = new TreeMap<>(program.properties());
    if (!program.stock()) {
      String underneath =
          Optional.ofNullable(program.properties().get(MRConfig.FRAMEWORK_NAME))
              .or(() -> program.conf().map(ClientSite::framework))
              .orElse(MRConfig.LOCAL_FRAMEWORK_NAME);
      // A configuration that has Freshet switched on already says what runs underneath.
      if (!underneath.equals(FreshetKeys.FRAMEWORK)) {
        overrides.putIfAbsent(FreshetKeys.DELEGATE.name(), underneath);
      }
      overrides.put(MRConfig.FRAMEWORK_NAME, FreshetKeys.FRAMEWORK);
    }
    return overrides;
  }

  private static String framework(Path conf) {
    return LocalCluster.clientConfiguration(conf)
        .get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
  }
}
