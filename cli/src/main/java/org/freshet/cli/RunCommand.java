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
package org.freshet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.freshet.cli.program.Installation;
import org.freshet.cli.program.Program;
import org.freshet.cli.program.ProgramLauncher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code freshet run}: {@code hadoop jar}, incremental. */
@Command(
    name = "run",
    description = {
      "Runs a Hadoop program as 'hadoop jar' does, incrementally and without a change to it.",
      "It runs on the cluster that HADOOP_CONF_DIR describes, else on the one that 'freshet cluster"
          + " start' started. Exits as the program does."
    },
    mixinStandardHelpOptions = true,
    customSynopsis = "freshet run [--stock] [--local] [-D name=value]... JAR [MAIN] ARGS...",
    footer = {
      "",
      "JAR is a path, or 'examples' for Hadoop's own example jobs, or 'freshet-examples' for ours.",
      "HADOOP_CLIENT_OPTS and HADOOP_CLASSPATH hold as they do for 'hadoop jar'."
    })
final class RunCommand implements Callable<Integer> {
  @Option(names = "--stock", description = "Run without Freshet, to compare.")
  private boolean stock;

  @Option(
      names = "--local",
      description = "Run on the local job runner and the local file system, without a cluster.")
  private boolean local;

  @Option(
      names = "-D",
      paramLabel = "name=value",
      description = "Set a property, even for a program that takes no generic options.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Parameters(index = "0", paramLabel = "JAR", description = "The program's jar.")
  private String jar;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ARGS",
      description = "The main class, unless the jar names one, and the program's arguments.")
  private List<String> arguments = List.of();

  @Override
  public Integer call() throws Exception {
    Installation installation = Installation.find();
    Program program =
        new Program(
            stock,
            local ? Optional.empty() : Optional.of(TargetCluster.confDirectory()),
            properties,
            List.of(),
            resolve(jar, installation),
            arguments);
    return new ProgramLauncher(installation).run(program);
  }

  private static Path resolve(String jar, Installation installation) throws IOException {
    return switch (jar) {
      case "examples" -> installation.stockExamples();
      case "freshet-examples" -> installation.freshetExamples();
      default -> {
        Path path = Path.of(jar);
        if (!Files.isRegularFile(path)) {
          throw new IOException(
              "cannot find the jar "
                  + path.toAbsolutePath()
                  + "; give a path, 'examples' or 'freshet-examples'");
        }
        yield path;
      }
    };
  }
}
