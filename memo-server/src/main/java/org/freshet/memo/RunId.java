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
package org.freshet.memo;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The ids of job runs: what they may look like (they name directories and files), and new ones. */
final class RunId {
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS").withZone(ZoneOffset.UTC);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final AtomicLong LAST_MILLIS = new AtomicLong();

  private RunId() {}

  /** Whether the text may name a run; foreign files in a listing are told apart by this. */
  static boolean isValid(String text) {
    return VALID.matcher(text).matches();
  }

  /** Returns the id, if it may be one. */
  static String check(String runId) {
    if (runId == null || !isValid(runId)) {
      throw new IllegalArgumentException(
          "run id '"
              + runId
              + "': expected up to 200 letters, digits, '.', '_' and '-', the first a letter or digit");
    }
    return runId;
  }

  /**
   * A new id. Ids sort by time of making: strictly within a process, to the millisecond between
   * processes.
   */
  static String next() {
    long millis = LAST_MILLIS.updateAndGet(last -> Math.max(last + 1, System.currentTimeMillis()));
    return TIME.format(Instant.ofEpochMilli(millis))
        + "-%012x".formatted(RANDOM.nextLong() & 0xffff_ffff_ffffL);
  }
}
