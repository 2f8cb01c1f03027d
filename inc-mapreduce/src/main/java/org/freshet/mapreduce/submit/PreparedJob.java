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

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.plan.LeafNaming;

/**
 * What was found out about a job when it was looked at, kept in this process until its splits are
 * asked for. Immutable.
 *
 * @param lineage the job's identity
 * @param properties those of its properties that the lineage was made from
 * @param classes the job's classes
 * @param naming how its leaves are named
 * @param namingReason why, for people
 * @param reduceHazard why its reduces must run even on what they have seen before, for people;
 *     empty if they need not
 */
public record PreparedJob(
    Lineage lineage,
    Map<String, String> properties,
    JobClasses classes,
    LeafNaming naming,
    String namingReason,
    String reduceHazard) {
  private static final String KEY = "freshet.internal.prepared";

  /** What stock itself sets while it submits a job begins so, and no property of a job's own. */
  private static final String SET_BY_STOCK = "mapreduce.job.";

  /** So many jobs may be about to be submitted; one that never is takes a place until then. */
  private static final int MOST_PREPARED = 10_000;

  private static final Map<String, PreparedJob> PREPARED =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, PreparedJob> eldest) {
              return size() > MOST_PREPARED;
            }
          });

  void register(Configuration conf) {
    String key = UUID.randomUUID().toString();
    PREPARED.put(key, this);
    conf.set(KEY, key);
  }

  /** The job prepared under this configuration, until it is forgotten. */
  public static PreparedJob of(Configuration conf) {
    String key = conf.get(KEY);
    PreparedJob prepared = key == null ? null : PREPARED.get(key);
    if (prepared == null) {
      throw new IllegalStateException(
          "Freshet's input format was asked for splits of a job that did not connect through it");
    }
    return prepared;
  }

  /** Forgets a job that will not be planned, or that has been submitted. */
  static void forget(Configuration conf) {
    String key = conf.get(KEY);
    if (key != null) {
      PREPARED.remove(key);
      conf.unset(KEY);
    }
  }

  /**
   * The same job with what its program has set since it was looked at: its input format's {@code
   * getSplits} may do that.
   *
   * @param userView the configuration as the job's tasks will be shown it
   * @throws FallbackException if that makes it another job
   */
  public PreparedJob asOf(JobConf userView) throws FallbackException {
    JobClasses now = JobClasses.of(userView);
    if (!now.equals(classes)) {
      throw new FallbackException(
          FallbackReason.LINEAGE_UNKNOWN,
          "the job's classes were set while it was being submitted: " + now.byRole());
    }
    Map<String, String> later = LineageReader.propertiesOfJob(userView);
    Map<String, String> facts = new TreeMap<>();
    for (Map.Entry<String, String> property : later.entrySet()) {
      if (!property.getValue().equals(properties.get(property.getKey()))) {
        facts.put("property." + property.getKey(), property.getValue());
      }
    }
    for (String name : properties.keySet()) {
      if (!later.containsKey(name)) {
        facts.put("unset." + name, "");
      }
    }
    facts.keySet().removeIf(fact -> fact.substring(fact.indexOf('.') + 1).startsWith(SET_BY_STOCK));
    if (facts.isEmpty()) {
      return this;
    }
    Map<String, String> all = new TreeMap<>(Lineage.facts(lineage.text()));
    all.putAll(facts);
    return new PreparedJob(Lineage.of(all), later, classes, naming, namingReason, reduceHazard);
  }
}
