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

import java.util.Objects;
import java.util.Optional;

/**
 * What the bytecode of a job's map side says about memoizing its output. Immutable.
 *
 * <p>A leaf may be named by the content of its chunk alone when {@code positionSensitive} is false.
 * When it is true, path and offset belong into the name, and if {@code splitVisible} is true, too,
 * the splits must be the stock ones. When there is a hazard, no name is enough and the whole job
 * must run stock.
 *
 * @param positionSensitive whether the code may see where its records came from
 * @param splitVisible whether it may see the split itself or more than its file and offsets
 * @param positionReason why, for people ({@code "WordCount$Map.map reads its key parameter"});
 *     empty exactly when the code is not position sensitive
 * @param hazard the first reason found why the output is not a function of records and
 *     configuration
 */
public record CodeTraits(
    boolean positionSensitive,
    boolean splitVisible,
    String positionReason,
    Optional<Hazard> hazard) {

  /** Checks that a reason is given exactly when there is something to explain. */
  public CodeTraits {
    Objects.requireNonNull(hazard, "hazard");
    if (positionSensitive == positionReason.isEmpty()) {
      throw new IllegalArgumentException(
          "positionReason must be empty exactly when positionSensitive is false, but it is \""
              + positionReason
              + "\" for positionSensitive="
              + positionSensitive);
    }
  }

  /**
   * Something the code does that memoized output cannot stand in for.
   *
   * @param kind what sort of thing it is
   * @param reason which method does what, for people
   */
  public record Hazard(Kind kind, String reason) {
    /** Checks that both parts are given. */
    public Hazard {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** The sorts of hazard. */
  public enum Kind {
    /** Files, sockets, databases, processes, environment: input or output beside the job's own. */
    READS_OUTSIDE_DATA,
    /** The wall clock or a timer. */
    DEPENDS_ON_TIME,
    /** Unseeded randomness, threads, identity hashes, ids that every run draws anew. */
    NONDETERMINISTIC,
    /** State that one chunk leaves behind for the next one in the same JVM, or for the combiner. */
    MUTABLE_STATIC_STATE,
    /** Code that is needed but cannot be read: a missing class, a native method. */
    UNREADABLE_CODE
  }
}
