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

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Hadoop program to run, as {@code hadoop jar JAR [MAIN] ARGS...} would.
 *
 * @param stock whether it runs without Freshet
 * @param conf the {@code HADOOP_CONF_DIR} of the cluster to run on; empty for the local job runner
 *     on the local file system
 * @param properties configuration that holds for the whole program, whether it reads generic
 *     options or not
 * @param jvmOptions options of the client's JVM
 * @param jar the program's jar
 * @param arguments the main class, unless the jar names one, and the program's arguments
 */
public record Program(
    boolean stock,
    Optional<Path> conf,
    Map<String, String> properties,
    List<String> jvmOptions,
    Path jar,
    List<String> arguments) {
  public Program {
    properties = Map.copyOf(properties);
    jvmOptions = List.copyOf(jvmOptions);
    arguments = List.copyOf(arguments);
  }
}
