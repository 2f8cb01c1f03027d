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
package org.freshet.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One state of a job and its input in a case's history. Immutable.
 *
 * @param edit what led here from the version before
 * @param job the job as it is submitted
 * @param input its input
 */
record Version(Edit edit, RandomJob job, InputTree input) {

  /** A history of a job: a first version and two to five edits. */
  static List<Version> history(RandomJob job, Random random) {
    RandomInput source = new RandomInput(job, random);
    List<Version> history = new ArrayList<>();
    history.add(new Version(Edit.NOTHING, job, source.tree()));
    int edits = 2 + random.nextInt(4);
    for (int i = 0; i < edits; i++) {
      // Small edits of content are what the engine is for: they make up half of all.
      Edit edit =
          random.nextBoolean()
              ? RandomJob.pick(
                  random, Edit.CHANGE_UNIT, Edit.INSERT_UNIT, Edit.DELETE_UNIT, Edit.APPEND)
              : RandomJob.pick(random, Edit.values());
      history.add(new EditScript(source, random).next(edit, history));
    }
    return history;
  }

  Version with(Edit newEdit, InputTree newInput) {
    return new Version(newEdit, job, newInput);
  }
}
