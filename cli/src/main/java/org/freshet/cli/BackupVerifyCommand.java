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

import java.util.concurrent.Callable;
import org.freshet.cli.backup.BackupAgent;
import org.freshet.cli.backup.store.VerifyReport;
import org.freshet.cli.chunk.ByteSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code freshet backup verify}. */
@Command(
    name = "verify",
    description = {
      "Has the server read every chunk and every image; fails if one is damaged.",
      "A damaged chunk is stored anew by the next backup that has it."
    },
    mixinStandardHelpOptions = true)
final class BackupVerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ServerPort server;

  @Override
  public Integer call() throws Exception {
    VerifyReport report;
    try (BackupAgent agent = BackupAgent.connect(server.port())) {
      report = agent.verify();
    }
    spec.commandLine()
        .getOut()
        .println(
            report.images()
                + " images and "
                + report.chunks()
                + " chunks ("
                + ByteSize.format(report.bytes())
                + ") are whole");
    report.problems().forEach(line -> spec.commandLine().getErr().println("freshet: " + line));
    return report.sound() ? 0 : 1;
  }
}
