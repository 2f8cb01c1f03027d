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
            report.images() + " images and " + report.chunks() + " chunks ("
                + ByteSize.format(report.bytes()) + ") are whole");
    report.problems().forEach(line -> spec.commandLine().getErr().println("freshet: " + line));
    return report.sound() ? 0 : 1;
  }
}
