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

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.freshet.cli.backup.BackupServer;
import org.freshet.cli.backup.store.BackupStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet backup serve}. */
@Command(
    name = "serve",
    description = {
      "Serves a store of backups to agents on this machine, until it is stopped.",
      "It may be killed at any time: what was committed stays, and the next start recovers."
    },
    mixinStandardHelpOptions = true)
final class BackupServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ServerPort server;

  @Parameters(
      index = "0",
      paramLabel = "STORE",
      description = "The store's directory; created if it is not there.")
  private Path directory;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Thread onSignal =
        new Thread(
            () -> {
              stopped.countDown();
              try {
                closed.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    try (BackupStore store = BackupStore.open(directory);
        BackupServer serving = BackupServer.start(store, server.port(), this::say)) {
      Runtime.getRuntime().addShutdownHook(onSignal);
      store.remarks().forEach(this::say);
      out.println("serving " + directory + " on port " + serving.port());
      out.flush();
      stopped.await();
    } finally {
      closed.countDown();
    }
    return 0;
  }

  private void say(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
