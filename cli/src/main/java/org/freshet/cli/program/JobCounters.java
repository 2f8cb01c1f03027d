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
package org.freshet.cli.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The counters of one job, as the client of a stock job prints them when it ends: groups and
 * counters by the names that people see.
 *
 * @param groups values by group and name
 */
public record JobCounters(Map<String, Map<String, Long>> groups) {
  private static final Pattern START =
      Pattern.compile("(?!.*Final Counters for )(?:.*\\s)?Counters: \\d+\\s*");

  public JobCounters {
    Map<String, Map<String, Long>> copy = new LinkedHashMap<>();
    groups.forEach((group, counters) -> copy.put(group, Map.copyOf(counters)));
    groups = Map.copyOf(copy);
  }

  /** The value of a counter, where the job had it. */
  public OptionalLong get(String group, String name) {
    Long value = groups.getOrDefault(group, Map.of()).get(name);
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /**
   * The value of a counter, zero where the job did not have it: stock omits what did not happen.
   */
  public long value(String group, String name) {
    return get(group, name).orElse(0);
  }

  /**
   * Finds the counters of every job in the lines that a program printed.
   *
   * <p>A block begins with a log line that ends in {@code Counters: N}; group names follow with one
   * tab, counters with two. The first line of another shape ends it. The local job runner also logs
   * the final counters of each task; those are not a job's.
   */
  public static List<JobCounters> parse(List<String> lines) {
    List<JobCounters> jobs = new ArrayList<>();
    Map<String, Map<String, Long>> groups = null;
    Map<String, Long> group = null;
    for (String line : lines) {
      if (START.matcher(line).matches()) {
        addJob(jobs, groups);
        groups = new LinkedHashMap<>();
        group = null;
      } else if (groups != null && line.startsWith("\t\t") && group != null) {
        int equals = line.lastIndexOf('=');
        if (equals > 0) {
          group.put(line.substring(2, equals), Long.parseLong(line.substring(equals + 1).trim()));
        }
      } else if (groups != null && line.startsWith("\t")) {
        group = groups.computeIfAbsent(line.trim(), name -> new LinkedHashMap<>());
      } else {
        addJob(jobs, groups);
        groups = null;
      }
    }
    addJob(jobs, groups);
    return jobs;
  }

  private static void addJob(List<JobCounters> jobs, Map<String, Map<String, Long>> groups) {
    if (groups != null) {
      jobs.add(new JobCounters(groups));
    }
  }
}
