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

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * A running job's claim: until it expires, the collector deletes neither the job's own run nor
 * those it uses.
 *
 * @param runId the job run that holds it
 * @param usedRuns the job runs whose files it reads
 * @param expires when it ends by itself, should the job never release it
 */
public record Lease(String runId, Set<String> usedRuns, Instant expires) {
  private static final String HEADING = "freshet lease 1";
  private static final String CHECKSUM = "checksum ";

  /** Checks and copies. */
  public Lease {
    RunId.check(runId);
    usedRuns = Collections.unmodifiableSet(new TreeSet<>(usedRuns));
    usedRuns.forEach(RunId::check);
  }

  /** Every run that this protects: the used ones and the holder's own. */
  Collection<String> protectedRuns() {
    Set<String> runs = new TreeSet<>(usedRuns);
    runs.add(runId);
    return runs;
  }

  /** Writes the lease as lines of text: heading, time, one line per used run, checksum. */
  void write(OutputStream out) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(HEADING).append('\n').append(expires).append('\n');
    usedRuns.forEach(run -> text.append(run).append('\n'));
    text.append(CHECKSUM).append(checksum(text.toString())).append('\n');
    out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws CorruptStoreException if the text is anything else, such as one half written
   */
  static Lease read(String runId, InputStream in) throws IOException {
    String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    int at = text.lastIndexOf(CHECKSUM);
    String body = at < 0 ? "" : text.substring(0, at);
    List<String> lines = body.lines().toList();
    if (lines.size() < 2
        || !lines.get(0).equals(HEADING)
        || !text.substring(at).equals(CHECKSUM + checksum(body) + "\n")) {
      throw new CorruptStoreException("lease of run " + runId + " is damaged or half written");
    }
    try {
      return new Lease(
          runId, new TreeSet<>(lines.subList(2, lines.size())), Instant.parse(lines.get(1)));
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new CorruptStoreException("lease of run " + runId + ": " + e.getMessage(), e);
    }
  }

  private static String checksum(String body) {
    CRC32C crc = new CRC32C();
    crc.update(body.getBytes(StandardCharsets.ISO_8859_1));
    return "%08x".formatted(crc.getValue());
  }
}
