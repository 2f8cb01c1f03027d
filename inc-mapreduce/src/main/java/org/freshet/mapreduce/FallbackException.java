package org.freshet.mapreduce;

/** A job can't run incrementally: the named reason and the detail found. */
public final class FallbackException extends Exception {
  private static final long serialVersionUID = 1L;

  private final FallbackReason reason;

  public FallbackException(FallbackReason reason, String detail) {
    this(reason, detail, null);
  }

  public FallbackException(FallbackReason reason, String detail, Throwable cause) {
    super(reason + ": " + reason.description() + (detail.isEmpty() ? "" : " (" + detail + ")"), cause);
    this.reason = reason;
  }

  public FallbackReason reason() {
    return reason;
  }
}
