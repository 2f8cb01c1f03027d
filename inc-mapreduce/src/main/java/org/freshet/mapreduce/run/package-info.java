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
/**
 * Runs: sorted key/value sequences of one partition in Hadoop's IFile format. Leaves and tree nodes
 * are runs; map and reduce tasks share this package.
 *
 * <p>Start with {@link org.freshet.mapreduce.run.Run}. {@link
 * org.freshet.mapreduce.run.NodeCombiner} merges runs with the stock merger and applies the job's
 * own Combiner; {@link org.freshet.mapreduce.run.ContentKeys} names a combine by what goes into it;
 * {@link org.freshet.mapreduce.run.RunRegion} is what one map task hands to one reduce partition.
 * {@link org.freshet.mapreduce.run.TaskInternals} holds the two reflective calls into stock tasks.
 *
 * <p>Nothing here knows plans or where the store is.
 */
package org.freshet.mapreduce.run;
