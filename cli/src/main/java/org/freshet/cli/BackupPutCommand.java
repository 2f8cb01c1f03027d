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
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.cli.backup.BackupAgent;
import org.freshet.cli.backup.PutResult;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.cli.chunk.Progress;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet backup put}. */
@Command(
    name = "put",
    description = "Backs up a file, sending only chunks that the server lacks.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BackupPutCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ServerPort server;
  @Mixin private ChunkingOptions chunking;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that search and digest (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Parameters(index = "0", paramLabel = "NAME", description = "What to keep it under.")
  private String name;

  @Parameters(index = "1", paramLabel = "FILE", description = "What to back up.")
  private Path file;

  @Override
  public Integer call() throws Exception {
    if (threads < 1) {
      throw new ParameterException(
          spec.commandLine(), "--threads is " + threads + ", expected at least 1");
    }
    if (!Files.isRegularFile(file)) {
      throw new ParameterException(spec.commandLine(), file + " is not there, or is no file");
    }
    Chunker chunker = chunking.chunker();
    FileVersion version = version();
    ByteSource source = ByteSource.of(file);
    try (BackupAgent agent = BackupAgent.connect(server.port());
        Progress progress = new Progress(file.toString(), source.length(), this::say)) {
      PutResult put =
          agent.put(name, source, chunker, threads, progress::add, () -> requireStill(version));
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "%s number %d: %s in %d chunks; sent %d of them, %s, in %.2f s (%s/s)%n",
              name,
              put.image().sequence(),
              ByteSize.format(put.image().bytes()),
              put.image().chunks(),
              put.sentChunks(),
              ByteSize.format(put.wireBytes()),
              put.seconds(),
              ByteSize.format(put.bandwidth()));
    }
    return 0;
  }

  private FileVersion version() throws IOException {
    return FileVersion.observe(
        FileSystem.getLocal(new Configuration()), new org.apache.hadoop.fs.Path(file.toUri()));
  }

  private void requireStill(FileVersion version) throws IOException {
    if (!version().equals(version)) {
      throw new IOException(
          file + " changed while it was backed up, and nothing is kept; put it again");
    }
  }

  private void say(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
