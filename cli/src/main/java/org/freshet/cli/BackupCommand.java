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
