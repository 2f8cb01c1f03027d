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

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.freshet.mapreduce.plan.LeafNaming;

/**
 * What was found out about a job when it connected, kept in this process until its splits are asked
 * for.
 *
 * @param lineage the job's identity
 * @param classes the job's classes
 * @param naming how its leaves are named
 * @param namingReason why, for people
 * @param reduceHazard why its reduces must run even on what they have seen before, for people;
 *     empty if they need not
 */
public record PreparedJob(
    Lineage lineage,
    JobClasses classes,
    LeafNaming naming,
    String namingReason,
    String reduceHazard) {
  private static final String KEY = "freshet.internal.prepared";
  private static final Map<String, PreparedJob> PREPARED = new ConcurrentHashMap<>();

  void register(Configuration conf) {
    String key = UUID.randomUUID().toString();
    PREPARED.put(key, this);
    conf.set(KEY, key);
  }

  /** The job prepared under this configuration; it can be taken once. */
  public static PreparedJob take(Configuration conf) {
    String key = conf.get(KEY);
    PreparedJob prepared = key == null ? null : PREPARED.remove(key);
    if (prepared == null) {
      throw new IllegalStateException(
          "Freshet's input format was asked for splits of a job that did not connect through it");
    }
    conf.unset(KEY);
    return prepared;
  }

  /** Forgets a job that will not be planned. */
  static void forget(Configuration conf) {
    String key = conf.get(KEY);
    if (key != null) {
      PREPARED.remove(key);
      conf.unset(KEY);
    }
  }
}
