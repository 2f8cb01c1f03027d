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
 * The reduce tasks of a delta job: the contraction phase between shuffle and reduce.
 *
 * <p>Start with {@link org.freshet.mapreduce.reduce.ContractionShuffle}, stock Shuffle with a merge
 * manager of ours, then {@code ContractionMerge}: it keeps fetched runs apart ({@code
 * RegionOutput}), takes memoized ones from the store ({@code StoredRuns}), combines the nodes of
 * the plan, and hands Reduce the root's children. {@code LostRuns} makes again what the store lost.
 * {@link org.freshet.mapreduce.reduce.ReduceOutput} and {@code OutputChecksum} decide whether the
 * last run's output can stand for this one's; {@link org.freshet.mapreduce.reduce.PartitionRecord}
 * is what a reduce leaves for the next run.
 *
 * <p>The user's Reducer is not wrapped. Results become visible in {@code commit}, never here.
 */
package org.freshet.mapreduce.reduce;
