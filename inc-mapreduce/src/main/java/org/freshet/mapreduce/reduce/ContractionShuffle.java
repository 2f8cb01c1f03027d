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
package org.freshet.mapreduce.reduce;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.MergeManager;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.freshet.mapreduce.submit.JobRewrite;

/**
 * The contraction phase between shuffle and reduce (Incoop, section 4.2): stock Shuffle fetches, a
 * merge manager of ours contracts. Stock ReduceTask calls {@link #close} after the user's reducer
 * has succeeded and before the attempt may commit, and never when it failed: there the attempt's
 * results are stored.
 */
public final class ContractionShuffle<K, V> extends Shuffle<K, V> {
  private Context<K, V> context;
  private ContractionMerge<K, V> merge;

  @Override
  @SuppressWarnings("unchecked")
  public void init(@SuppressWarnings("rawtypes") ShuffleConsumerPlugin.Context context) {
    this.context = context;
    super.init(context);
  }

  @Override
  protected MergeManager<K, V> createMergeManager(
      @SuppressWarnings("rawtypes") ShuffleConsumerPlugin.Context context) {
    try {
      merge = new ContractionMerge<>(this.context);
      return merge;
    } catch (IOException e) {
      throw new UncheckedIOException("the contraction phase can't start", e);
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    RawKeyValueIterator input = super.run();
    // From here on user code runs: it is shown its own settings.
    JobRewrite.restore(context.getJobConf());
    if (merge.outputReused()) {
      if (context.getJobConf().getUseNewReducer()) {
        context
            .getJobConf()
            .setClass(
                org.apache.hadoop.mapreduce.MRJobConfig.REDUCE_CLASS_ATTR,
                ReusedReducer.class,
                org.apache.hadoop.mapreduce.Reducer.class);
      } else {
        context.getJobConf().setReducerClass(OldReusedReducer.class);
      }
    }
    return input;
  }

  @Override
  public void close() {
    super.close();
    try {
      merge.finish();
    } catch (IOException e) {
      throw new UncheckedIOException("the previous output can't be put in place", e);
    }
  }
}
