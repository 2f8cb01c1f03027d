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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.freshet.cli.chunk.Progress;
import org.freshet.cli.index.FileDifference;
import org.freshet.cli.index.InputFiles;
import org.freshet.hdfs.index.FileIndexer;
import org.freshet.shredder.Chunk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet diff}. */
@Command(
    name = "diff",
    description = {
      "Shows which byte ranges of a file are in another one, and which are not, in whole chunks.",
      "Files that are indexed are not read."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the files have the same content",
      "1:a file could not be read",
      "2:wrong usage",
      "3:the files differ"
    },
    footer = {
      "",
      "For example: freshet diff in/yesterday.csv in/today.csv",
      "             freshet diff --json -D freshet.chunk.average.bytes=64k old.txt new.txt"
    })
final class DiffCommand implements Callable<Integer> {
  private static final int DIFFERENT = 3;

  @Spec private CommandSpec spec;
  @Mixin private FileSystemOptions fileSystem;

  @Parameters(index = "0", paramLabel = "OLD", description = "A file.")
  private String old;

  @Parameters(index = "1", paramLabel = "NEW", description = "The file that may have come from it.")
  private String changed;

  @Option(names = "--all", description = "Name ranges that did not change too.")
  private boolean all;

  @Option(names = "--json", description = "Print JSON, with all ranges.")
  private boolean json;

  /** What is printed as JSON. */
  private record Result(
      String oldFile, String newFile, String fingerprint, List<FileDifference.Range> ranges) {}

  @Override
  public Integer call() throws IOException {
    Configuration conf = fileSystem.configuration(List.of(old, changed));
    PrintWriter out = spec.commandLine().getOut();
    FileStatus before = InputFiles.one(conf, old);
    FileStatus after = InputFiles.one(conf, changed);
    FileDifference difference;
    String fingerprint;
    AtomicLong told = new AtomicLong();
    try (Progress progress = new Progress("reading", before.getLen() + after.getLen(), this::say);
        FileIndexer indexer =
            new FileIndexer(
                conf,
                Runtime.getRuntime().availableProcessors(),
                now -> progress.add(now - told.getAndSet(now)))) {
      List<Chunk> oldChunks = indexer.chunks(before).chunks();
      difference = FileDifference.between(oldChunks, indexer.chunks(after).chunks());
      fingerprint = indexer.fingerprint();
    }
    if (json) {
      Result result =
          new Result(
              before.getPath().toString(),
              after.getPath().toString(),
              fingerprint,
              difference.ranges());
      out.println(
          new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(result));
    } else {
      difference.print(out, all);
      out.println("in chunks cut by " + fingerprint + "; read " + told.get() + " bytes for it");
    }
    out.flush();
    return difference.isSame() ? 0 : DIFFERENT;
  }

  private void say(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
