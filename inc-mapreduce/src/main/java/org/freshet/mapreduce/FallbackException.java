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
package org.freshet.mapreduce;

/** A job can't run incrementally: the named reason and the detail found. */
public final class FallbackException extends Exception {
  private static final long serialVersionUID = 1L;

  private final FallbackReason reason;

  public FallbackException(FallbackReason reason, String detail) {
    this(reason, detail, null);
  }

  public FallbackException(FallbackReason reason, String detail, Throwable cause) {
    super(
        reason + ": " + reason.description() + (detail.isEmpty() ? "" : " (" + detail + ")"),
        cause);
    this.reason = reason;
  }

  public FallbackReason reason() {
    return reason;
  }
}
