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
package org.freshet.cli.program;

/** The properties and counters of Freshet that the command line itself sets and reads. */
public final class FreshetProperties {
  /** Names the system that runs jobs; {@link #FRESHET} switches Freshet on. */
  public static final String FRAMEWORK = "mapreduce.framework.name";

  /** The value of {@link #FRAMEWORK} that stands for Freshet. */
  public static final String FRESHET = "freshet";

  /** The framework that runs what Freshet submits, such as {@code yarn} or {@code local}. */
  public static final String DELEGATE = "freshet.delegate";

  /** The directory of the memo store; {@link #DEFAULT_STORE} where it is not set. */
  public static final String STORE = "freshet.store";

  /** Where the store is by default, relative to the user's home directory. */
  public static final String DEFAULT_STORE = ".freshet/store";

  /** The group of a job's counters that say what Freshet did. */
  public static final String COUNTERS = "Freshet";

  /** Chunks of the input. */
  public static final String CHUNKS = "CHUNKS_TOTAL";

  /** Input bytes that were mapped; a job's own counters say what stock Hadoop would have mapped. */
  public static final String BYTES_MAPPED = "BYTES_MAPPED";

  /** Chunks whose map output was taken from the memo store. */
  public static final String CHUNKS_REUSED = "CHUNKS_KEPT";

  private FreshetProperties() {}
}
