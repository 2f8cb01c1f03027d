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

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.freshet.cli.index.FileDescription;
import org.freshet.cli.index.InputFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet stat}. */
@Command(
    name = "stat",
    description = {
      "Shows what is known of a file without reading it: blocks, chunks, and the index of them."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "For example: freshet stat in/book.txt",
      "             freshet stat --chunks --json in/book.txt"
    })
final class StatCommand implements Callable<Integer> {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .setSerializationInclusion(JsonInclude.Include.NON_NULL);

  @Spec private CommandSpec spec;
  @Mixin private FileSystemOptions fileSystem;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files.")
  private List<String> paths;

  @Option(names = "--chunks", description = "Name each chunk: offset, length and SHA-256.")
  private boolean chunks;

  @Option(names = "--json", description = "Print JSON, an array with an object for each file.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Configuration conf = fileSystem.configuration(paths);
    PrintWriter out = spec.commandLine().getOut();
    List<FileDescription> files = new ArrayList<>();
    for (String path : paths) {
      files.add(FileDescription.of(conf, InputFiles.one(conf, path), chunks));
    }
    if (json) {
      out.println(JSON.writeValueAsString(files));
    } else {
      files.forEach(file -> file.print(out));
    }
    out.flush();
    return 0;
  }
}
