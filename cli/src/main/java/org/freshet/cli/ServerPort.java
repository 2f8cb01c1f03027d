package org.freshet.cli;

import org.freshet.cli.backup.BackupServer;
import picocli.CommandLine.Option;

/** Which backup server on this machine, for every command that talks to one. */
final class ServerPort {
  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "" + BackupServer.DEFAULT_PORT,
      description = "The server's port on this machine (default: ${DEFAULT-VALUE}).")
  private int port;

  int port() {
    return port;
  }
}
