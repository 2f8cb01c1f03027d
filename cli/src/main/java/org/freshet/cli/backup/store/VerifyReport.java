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
package org.freshet.cli.backup.store;

import java.util.List;

/**
 * What a look at every byte of a store found. An immutable value.
 *
 * @param chunks how many chunks are whole
 * @param bytes how long they are together
 * @param images how many images can be restored
 * @param problems what is damaged, a line each; empty if nothing is
 */
public record VerifyReport(long chunks, long bytes, long images, List<String> problems) {
  public VerifyReport {
    problems = List.copyOf(problems);
  }

  /** Whether every image can be restored and every chunk is whole. */
  public boolean sound() {
    return problems.isEmpty();
  }
}
