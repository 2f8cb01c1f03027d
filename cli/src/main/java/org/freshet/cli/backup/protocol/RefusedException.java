package org.freshet.cli.backup.protocol;

import java.io.IOException;

/** The other side answered with an error. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With what the other side said. */
  RefusedException(String message) {
    super(message);
  }
}
