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

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Replaces properties of a job and remembers what they were, so that user code can be shown its own
 * settings and a job can be handed back untouched.
 */
public final class JobRewrite {
  /** Begins the names of all properties that Freshet keeps for itself in a job's configuration. */
  private static final String INTERNAL = "freshet.internal.";

  private static final String REWRITTEN = INTERNAL + "rewritten";
  private static final String ORIGINAL = INTERNAL + "original.";
  private static final String REPLACED_BY = INTERNAL + "replaced.by.";

  private JobRewrite() {}

  /** Whether a job was rewritten already. */
  public static boolean isRewritten(Configuration conf) {
    return conf.get(REWRITTEN) != null;
  }

  /** Replaces a property; the first value it had is the one remembered. */
  public static void replace(Configuration conf, String name, String value) {
    Set<String> names = names(conf);
    if (names.add(name)) {
      String original = conf.getRaw(name);
      if (original != null) {
        conf.set(ORIGINAL + name, original);
      }
      conf.set(REWRITTEN, String.join(",", names));
    }
    conf.set(REPLACED_BY + name, value);
    conf.set(name, value);
  }

  /** The replaced properties that have been given another value since, by the job's own program. */
  public static List<String> overridden(Configuration conf) {
    return names(conf).stream()
        .filter(name -> !Objects.equals(conf.getRaw(name), conf.getRaw(REPLACED_BY + name)))
        .toList();
  }

  /** What a property was before it was replaced, or what it is. */
  public static String original(Configuration conf, String name) {
    return names(conf).contains(name) ? conf.get(ORIGINAL + name) : conf.get(name);
  }

  /** Puts every replaced property back. */
  public static void restore(Configuration conf) {
    names(conf).forEach(name -> restore(conf, name));
  }

  private static void restore(Configuration conf, String name) {
    String original = conf.getRaw(ORIGINAL + name);
    if (original == null) {
      conf.unset(name);
    } else {
      conf.set(name, original);
    }
  }

  /**
   * Puts every replaced property back and forgets all that Freshet knew of the job. What the job's
   * own program has set since stays as it is.
   */
  public static void undo(Configuration conf) {
    List<String> overridden = overridden(conf);
    for (String name : names(conf)) {
      if (!overridden.contains(name)) {
        restore(conf, name);
      }
    }
    conf.getPropsWithPrefix(INTERNAL).keySet().forEach(name -> conf.unset(INTERNAL + name));
  }

  private static Set<String> names(Configuration conf) {
    Collection<String> names = conf.getTrimmedStringCollection(REWRITTEN);
    return new LinkedHashSet<>(names);
  }

  /** A configuration as the user made it. */
  public static JobConf userView(Configuration conf) {
    JobConf view = new JobConf(conf);
    restore(view);
    return view;
  }

  /** The job's own input format of the new API. */
  @SuppressWarnings("rawtypes")
  public static InputFormat newInputFormat(Configuration conf) {
    JobConf view = userView(conf);
    Class<?> type =
        view.getClass(
            org.apache.hadoop.mapreduce.MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
            org.apache.hadoop.mapreduce.lib.input.TextInputFormat.class);
    return (InputFormat) ReflectionUtils.newInstance(type, view);
  }

  /** The job's own input format of the old API. */
  @SuppressWarnings("rawtypes")
  public static org.apache.hadoop.mapred.InputFormat oldInputFormat(Configuration conf) {
    return userView(conf).getInputFormat();
  }

  /** The job's own output format of the new API. */
  @SuppressWarnings("rawtypes")
  public static OutputFormat newOutputFormat(Configuration conf) {
    JobConf view = userView(conf);
    Class<?> type =
        view.getClass(
            org.apache.hadoop.mapreduce.MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
            org.apache.hadoop.mapreduce.lib.output.TextOutputFormat.class);
    return (OutputFormat) ReflectionUtils.newInstance(type, view);
  }
}
