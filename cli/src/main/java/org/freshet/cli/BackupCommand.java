package org.freshet.cli;

import picocli.CommandLine.Command;

/** {@code freshet backup}: incremental backup over content-defined chunks. */
@Command(
    name = "backup",
    description = {
      "Backs up files incrementally: an example of what chunking is good for.",
      "A server keeps each chunk once; an agent sends only those that the server lacks."
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BackupServeCommand.class,
      BackupPutCommand.class,
      BackupListCommand.class,
      BackupRestoreCommand.class,
      BackupVerifyCommand.class,
      BackupSimilarityCommand.class
    },
    footer = {
      "",
      "Try: freshet backup serve STORE &",
      "     freshet backup put disk disk.img",
      "     freshet backup restore disk copy.img",
      "     freshet backup verify"
    })
final class BackupCommand {}
