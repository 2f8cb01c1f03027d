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
