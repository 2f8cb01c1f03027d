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
package org.freshet.shredder;

/** The backend that every JVM has, and the one that the others must agree with. */
final class JavaBackend implements Backend {
  static final String NAME = "java";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return NAME + ": Java " + Runtime.version().feature();
  }

  @Override
  public CandidateFinder finder(CandidateRule rule) {
    if (rule instanceof CandidateRule.Gear gear) {
      return new PlainGearFinder(gear);
    }
    if (rule instanceof CandidateRule.SievedGear sieved) {
      return new SievedGearFinder(sieved);
    }
    return new RabinFinder((CandidateRule.Rabin) rule);
  }
}
