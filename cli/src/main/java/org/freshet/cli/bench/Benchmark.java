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
package org.freshet.cli.bench;

import java.io.IOException;
import java.util.List;

/** One benchmark, known to {@code freshet bench} by its name. */
public interface Benchmark {
  /** The name on the command line. */
  String name();

  /** What it measures, in one sentence. */
  String description();

  /**
   * Measures.
   *
   * @return the rows, in the order in which people shall read them
   * @throws IOException if a measurement fails, or an output differs from stock's
   */
  List<BenchRow> run(BenchContext context) throws IOException, InterruptedException;
}
