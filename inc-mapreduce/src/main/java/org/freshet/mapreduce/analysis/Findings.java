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
package org.freshet.mapreduce.analysis;

import java.util.Optional;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;

/** Keeps the first reason of each sort; code is visited from the mapper outwards. */
final class Findings {
  /** Whose code it is. */
  enum Side {
    MAP,
    REDUCE,
    /** An input or output format with its readers and writers. */
    FORMAT
  }

  private final Side side;
  private String position = "";
  private String split = "";
  private boolean runsConfiguredCode;
  private Hazard hazard;

  Findings(Side side) {
    this.side = side;
  }

  Side side() {
    return side;
  }

  void position(String reason) {
    if (position.isEmpty()) {
      position = reason;
    }
  }

  /** The split, or something that is not known to be less, can be seen. */
  void split(String reason) {
    if (split.isEmpty()) {
      split = reason;
    }
  }

  /**
   * Code runs that only the run tells. A mapper's may look at its split; what a Reducer's does is
   * not known to be repeatable.
   */
  void reflection(String reason) {
    configuredCode(reason);
    if (side == Side.REDUCE) {
      hazard(Kind.UNREADABLE_CODE, reason);
    }
  }

  /** Code of classes that the configuration names is run. */
  void configuredCode(String reason) {
    runsConfiguredCode = true;
    split(reason);
  }

  boolean runsConfiguredCode() {
    return runsConfiguredCode;
  }

  void hazard(Kind kind, String reason) {
    boolean matters =
        switch (side) {
          case MAP -> true;
          case REDUCE -> kind != Kind.MUTABLE_STATIC_STATE;
          case FORMAT -> kind != Kind.MUTABLE_STATIC_STATE && kind != Kind.UNREADABLE_CODE;
        };
    if (hazard == null && matters) {
      hazard = new Hazard(kind, reason);
    }
  }

  Optional<Hazard> hazard() {
    return Optional.ofNullable(hazard);
  }

  CodeTraits traits() {
    // The stronger finding is the one to explain.
    String reason = split.isEmpty() ? position : split;
    return new CodeTraits(!reason.isEmpty(), !split.isEmpty(), reason, hazard());
  }
}
