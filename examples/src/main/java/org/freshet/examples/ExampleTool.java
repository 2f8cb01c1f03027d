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
package org.freshet.examples;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** A program with a fixed number of arguments that explains itself when they are not given. */
abstract class ExampleTool extends Configured implements Tool {

  /** What {@link #run} returns for wrong usage. */
  static final int USAGE = 2;

  private final String name;
  private final String[] arguments;
  private final String options;

  /**
   * Makes a program.
   *
   * @param name what it is called in usage texts
   * @param options one line for each property it reads, or an empty text
   * @param arguments how to call its arguments
   */
  ExampleTool(String name, String options, String... arguments) {
    this.name = name;
    this.options = options;
    this.arguments = arguments;
  }

  @Override
  public final int run(String[] args)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (args.length != arguments.length) {
      System.err.println(usage());
      ToolRunner.printGenericCommandUsage(System.err);
      return USAGE;
    }
    return execute(args) ? 0 : 1;
  }

  final String usage() {
    StringBuilder text = new StringBuilder("Usage: ").append(name).append(" [generic options]");
    for (String argument : arguments) {
      text.append(" <").append(argument).append('>');
    }
    return options.isEmpty() ? text.toString() : text.append('\n').append(options).toString();
  }

  /** Runs the job to its end; true if it succeeded. */
  abstract boolean execute(String[] args)
      throws IOException, InterruptedException, ClassNotFoundException;
}
