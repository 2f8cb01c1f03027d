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
package org.freshet.mapreduce.map;

import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.freshet.memo.CounterSet;

/**
 * The counters of one chunk: what the user's code counts goes to a set of its own and is added to
 * the task's when the chunk ends, so that it can be kept with the leaf. Of the framework's counters
 * those are kept that a skipped map would have added to.
 */
final class ChunkCounters {
  private static final Enum<?>[] FRAMEWORK = {
    TaskCounter.MAP_INPUT_RECORDS,
    TaskCounter.MAP_OUTPUT_RECORDS,
    TaskCounter.MAP_OUTPUT_BYTES,
    FileInputFormatCounter.BYTES_READ
  };

  private final Reporter task;
  private final org.apache.hadoop.mapred.Counters own = new Counters();
  private final long[] before = new long[FRAMEWORK.length];

  /**
   * @param task the task's reporter
   */
  ChunkCounters(Reporter task) {
    this.task = task;
    for (int i = 0; i < FRAMEWORK.length; i++) {
      before[i] = task.getCounter(FRAMEWORK[i]).getValue();
    }
  }

  /** Adds the chunk's counters to the task's; returns what a skipped map would have counted. */
  CounterSet end() {
    CounterSet.Builder kept = CounterSet.builder();
    for (int i = 0; i < FRAMEWORK.length; i++) {
      long delta = task.getCounter(FRAMEWORK[i]).getValue() - before[i];
      if (delta != 0) {
        kept.add(FRAMEWORK[i].getDeclaringClass().getName(), FRAMEWORK[i].name(), delta);
      }
    }
    for (Counters.Group group : own) {
      for (Counters.Counter counter : group) {
        kept.add(group.getName(), counter.getName(), counter.getValue());
        task.incrCounter(group.getName(), counter.getName(), counter.getValue());
      }
    }
    return kept.build();
  }

  /** For contexts of the new API. */
  StatusReporter newApi() {
    return new StatusReporter() {
      @Override
      public org.apache.hadoop.mapreduce.Counter getCounter(Enum<?> name) {
        return own.findCounter(name);
      }

      @Override
      public org.apache.hadoop.mapreduce.Counter getCounter(String group, String name) {
        return own.findCounter(group, name);
      }

      @Override
      public void progress() {
        task.progress();
      }

      @Override
      public float getProgress() {
        return task.getProgress();
      }

      @Override
      public void setStatus(String status) {
        task.setStatus(status);
      }
    };
  }

  /**
   * For mappers of the old API.
   *
   * @param split what the mapper sees as its split
   */
  Reporter oldApi(InputSplit split) {
    return new Reporter() {
      @Override
      public void setStatus(String status) {
        task.setStatus(status);
      }

      @Override
      public Counters.Counter getCounter(Enum<?> name) {
        return own.findCounter(name);
      }

      @Override
      public Counters.Counter getCounter(String group, String name) {
        return own.findCounter(group, name);
      }

      @Override
      public void incrCounter(Enum<?> key, long amount) {
        own.incrCounter(key, amount);
      }

      @Override
      public void incrCounter(String group, String counter, long amount) {
        own.incrCounter(group, counter, amount);
      }

      @Override
      public InputSplit getInputSplit() {
        return split;
      }

      @Override
      public float getProgress() {
        return task.getProgress();
      }

      @Override
      public void progress() {
        task.progress();
      }
    };
  }
}
