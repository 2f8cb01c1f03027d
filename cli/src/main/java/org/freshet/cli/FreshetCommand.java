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
import java.io.PrintWriter;
import java.nio.charset.Charset;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The one command line, {@code freshet}.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not running ({@code cluster status}) or
 * different ({@code diff}). {@code run} and {@code fs} exit as the program they run does.
 */
@Command(
    name = "freshet",
    description = "Makes the Hadoop jobs that you already have incremental.",
    mixinStandardHelpOptions = true,
    version = "freshet " + FreshetCommand.VERSION,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ClusterCommand.class,
      RunCommand.class,
      FsCommand.class,
      IndexCommand.class,
      PutCommand.class,
      StatCommand.class,
      DiffCommand.class,
      ChunkCommand.class,
      BackupCommand.class,
      ExplainCommand.class,
      MemoCommand.class,
      QuickstartCommand.class,
      BenchCommand.class,
      DocsCommand.class
    },
    footer = {
      "",
      "Try: freshet cluster start",
      "     freshet run examples wordcount INPUT OUTPUT",
      "     freshet explain OUTPUT"
    })
public final class FreshetCommand {
  static final String VERSION = "0.1.0";

  private FreshetCommand() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    CommandLine freshet = commandLine();
    PrintWriter out = new PrintWriter(System.out, true, Charset.defaultCharset());
    freshet.setOut(out);
    int exitCode = freshet.execute(arguments);
    out.flush();
    System.exit(exitCode);
  }

  /** The parser, ready to execute. */
  static CommandLine commandLine() {
    CommandLine freshet = new CommandLine(new FreshetCommand());
    freshet.setCaseInsensitiveEnumValuesAllowed(true);
    // What follows the name of a program belongs to the program.
    freshet.getSubcommands().get("run").setStopAtPositional(true);
    freshet
        .getSubcommands()
        .get("fs")
        .setStopAtPositional(true)
        .setUnmatchedOptionsArePositionalParams(true);
    freshet.setExecutionExceptionHandler(
        (exception, command, result) -> {
          boolean expected =
              exception instanceof IOException || exception instanceof IllegalArgumentException;
          if (expected && exception.getMessage() != null) {
            command.getErr().println("freshet: " + exception.getMessage());
          } else {
            exception.printStackTrace(command.getErr());
          }
          if (exception instanceof InterruptedException) {
            Thread.currentThread().interrupt();
          }
          return CommandLine.ExitCode.SOFTWARE;
        });
    return freshet;
  }
}
