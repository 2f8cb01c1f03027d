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

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import org.freshet.cli.backup.BackupAgent;
import org.freshet.cli.backup.store.Image;
import org.freshet.cli.chunk.ByteSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet backup restore}. */
@Command(
    name = "restore",
    description = {
      "Writes a backup back, bit by bit as it was.",
      "Every chunk is checked by its digest. FILE appears when all of it is there."
    },
    mixinStandardHelpOptions = true)
final class BackupRestoreCommand implements Callable<Integer> {
  private static final String STANDARD_OUTPUT = "-";
  private static final int BUFFER_BYTES = 1 << 20;

  @Spec private CommandSpec spec;
  @Mixin private ServerPort server;

  @Parameters(index = "0", paramLabel = "NAME", description = "What it is kept under.")
  private String name;

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "Where to write it; - for the standard output. Must not be there yet.")
  private String target;

  @Option(
      names = "--number",
      paramLabel = "N",
      defaultValue = "0",
      description = "Which backup of that name (default: the last).")
  private int number;

  @Option(names = "--force", description = "Replace FILE if it is there.")
  private boolean force;

  @Override
  public Integer call() throws Exception {
    try (BackupAgent agent = BackupAgent.connect(server.port())) {
      if (target.equals(STANDARD_OUTPUT)) {
        OutputStream out =
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
        agent.restore(name, number, out);
        out.flush();
      } else {
        restore(agent, Path.of(target).toAbsolutePath());
      }
    }
    return 0;
  }

  private void restore(BackupAgent agent, Path file) throws IOException {
    if (!force && Files.exists(file)) {
      throw new ParameterException(
          spec.commandLine(), file + " is there already; --force replaces it");
    }
    if (file.getParent() == null || !Files.isDirectory(file.getParent())) {
      throw new ParameterException(spec.commandLine(), "there is no directory for " + file);
    }
    Path part = Files.createTempFile(file.getParent(), "." + file.getFileName(), ".part");
    try {
      Image image;
      try (FileOutputStream out = new FileOutputStream(part.toFile());
          OutputStream buffered = new BufferedOutputStream(out, BUFFER_BYTES)) {
        image = agent.restore(name, number, buffered);
        buffered.flush();
        out.getFD().sync();
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      spec.commandLine()
          .getOut()
          .println(
              "restored "
                  + name
                  + " number "
                  + image.sequence()
                  + ", "
                  + ByteSize.format(image.bytes())
                  + ", to "
                  + file);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
