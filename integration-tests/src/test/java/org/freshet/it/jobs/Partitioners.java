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
package org.freshet.it.jobs;

import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Partitioner;

/** Partitioners of our own; each serves the new API and the old one. */
public final class Partitioners {
  private Partitioners() {}

  /** By the length of the key as text, so that the partitions are uneven. */
  public static final class ByLength extends Partitioner<WritableComparable<?>, Object>
      implements org.apache.hadoop.mapred.Partitioner<WritableComparable<?>, Object> {
    @Override
    public void configure(JobConf job) {}

    @Override
    public int getPartition(WritableComparable<?> key, Object value, int partitions) {
      return key.toString().length() % partitions;
    }
  }

  /** By the word of a {@link WordPair}: what a secondary sort needs. */
  public static final class ByWord extends Partitioner<WordPair, Object>
      implements org.apache.hadoop.mapred.Partitioner<WordPair, Object> {
    @Override
    public void configure(JobConf job) {}

    @Override
    public int getPartition(WordPair key, Object value, int partitions) {
      return (key.word().hashCode() & Integer.MAX_VALUE) % partitions;
    }
  }

  /** Everything to the last partition: the others write empty files. */
  public static final class AllToLast extends Partitioner<Object, Object>
      implements org.apache.hadoop.mapred.Partitioner<Object, Object> {
    @Override
    public void configure(JobConf job) {}

    @Override
    public int getPartition(Object key, Object value, int partitions) {
      return partitions - 1;
    }
  }
}
