package org.freshet.cli.backup.protocol;

import java.io.IOException;

/** The other side did not keep to the protocol; the connection is of no more use. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With what came and what was expected. */
  public ProtocolException(String message) {
    super(message);
  }
}
