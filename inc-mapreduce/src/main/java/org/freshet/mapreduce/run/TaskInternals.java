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
package org.freshet.mapreduce.run;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two members of stock {@link Task} that are not public, proven on Hadoop 3.5.0: the task's
 * counters, and the report of a fatal error. Where one is missing, what builds on it is left out.
 */
public final class TaskInternals {
  private static final Logger LOG = LoggerFactory.getLogger(TaskInternals.class);

  private TaskInternals() {}

  /** All counters of a task, or empty where this Hadoop does not let us see them. */
  public static Optional<Counters> counters(Task task) {
    try {
      Method method = Task.class.getDeclaredMethod("getCounters");
      method.setAccessible(true);
      return Optional.of((Counters) method.invoke(task));
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.warn("This Hadoop hides a task's counters; reduces will not be reused: {}", e.toString());
      return Optional.empty();
    }
  }

  /** Tells the framework that a task can't go on. */
  public static void reportFatalError(
      Task task, TaskAttemptID attempt, Throwable error, String message, boolean failFast) {
    try {
      Method method =
          Task.class.getDeclaredMethod(
              "reportFatalError",
              TaskAttemptID.class,
              Throwable.class,
              String.class,
              boolean.class);
      method.setAccessible(true);
      method.invoke(task, attempt, error, message, failFast);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(message, e.getCause());
    } catch (ReflectiveOperationException | RuntimeException e) {
      // The spill thread's error also surfaces as the exception of the next write.
      throw new IllegalStateException(message, error);
    }
  }
}
