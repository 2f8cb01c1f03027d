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

import java.util.Iterator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** The old API's twin of {@link ReusedReducer}. */
public final class OldReusedReducer implements Reducer<Object, Object, Object, Object> {
  @Override
  public void configure(JobConf job) {}

  @Override
  public void reduce(
      Object key,
      Iterator<Object> values,
      OutputCollector<Object, Object> output,
      Reporter reporter) {
    throw new IllegalStateException("a reused reduce was given a record");
  }

  @Override
  public void close() {}
}
