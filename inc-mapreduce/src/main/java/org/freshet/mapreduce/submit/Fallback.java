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
package org.freshet.mapreduce.submit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands a job back untouched and leaves the reason where counters and explain find it. */
public final class Fallback {
  private static final Logger LOG = LoggerFactory.getLogger("org.freshet.Fallback");
  private static final String REASON = "freshet.internal.fallback.reason";
  private static final String DETAIL = "freshet.internal.fallback.detail";

  private Fallback() {}

  /**
   * Undoes all that was changed in a job.
   *
   * @throws IOException under {@code freshet.strict}
   */
  public static void apply(Configuration conf, FallbackException cause) throws IOException {
    PreparedJob.forget(conf);
    JobRewrite.undo(conf);
    conf.set(REASON, cause.reason().name());
    conf.set(DETAIL, String.valueOf(cause.getMessage()));
    if (FreshetKeys.STRICT.getBoolean(conf)) {
      throw new IOException(
          "Freshet can't run this job incrementally, and "
              + FreshetKeys.STRICT.name()
              + " forbids to run it as stock: "
              + cause.getMessage(),
          cause);
    }
    if (cause.reason() != FallbackReason.DISABLED) {
      LOG.warn("The job runs as stock. {}", cause.getMessage());
    }
  }

  /** The reason a job runs as stock, or null if it does not. */
  public static FallbackReason reason(Configuration conf) {
    String name = conf.get(REASON);
    return name == null ? null : FallbackReason.valueOf(name);
  }

  /** The message that goes with the reason. */
  public static String detail(Configuration conf) {
    return conf.get(DETAIL, "");
  }
}
