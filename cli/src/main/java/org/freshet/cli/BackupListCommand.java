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
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.freshet.cli.backup.BackupAgent;
import org.freshet.cli.backup.store.Image;
import org.freshet.cli.chunk.ByteSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code freshet backup list}. */
@Command(name = "list", description = "Lists what was backed up.", mixinStandardHelpOptions = true)
final class BackupListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ServerPort server;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** An image as JSON shows it. */
  record Line(String name, int sequence, long bytes, long chunks, String created, String id) {
    static Line of(Image image) {
      return new Line(
          image.name(),
          image.sequence(),
          image.bytes(),
          image.chunks(),
          image.created().toString(),
          image.id().toString());
    }
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    List<String> damaged = new ArrayList<>();
    List<Image> images;
    try (BackupAgent agent = BackupAgent.connect(server.port())) {
      images = agent.list(damaged::add);
    }
    if (json) {
      out.println(
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(images.stream().map(Line::of).toList()));
    } else {
      for (Image image : images) {
        out.printf(
            Locale.ROOT,
            "%-30s %6d  %10s %9d chunks  %s%n",
            image.name(),
            image.sequence(),
            ByteSize.format(image.bytes()),
            image.chunks(),
            image.created());
      }
    }
    damaged.forEach(line -> spec.commandLine().getErr().println("freshet: " + line));
    return damaged.isEmpty() ? 0 : 1;
  }
}
