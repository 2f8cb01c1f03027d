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
 * The map tasks of a delta job: many chunks in one task, each mapped into a leaf of its own.
 *
 * <p>Start with {@link org.freshet.mapreduce.map.BatchMapper} (the new API) or {@link
 * org.freshet.mapreduce.map.BatchMapRunner} (the old one): a fresh user mapper for each chunk. What
 * it emits goes through stock {@code MapTask} to {@link org.freshet.mapreduce.map.LeafCollector},
 * which gives each chunk a stock sort buffer, combines the tree nodes that lie within the batch,
 * stores all runs in one pack and writes the task's one output file. {@link
 * org.freshet.mapreduce.map.Batch} is what the planner sends.
 *
 * <p>User code sees its own classes and settings and, as its split, the chunk. What a leaf is
 * called is decided in {@code plan}.
 */
package org.freshet.mapreduce.map;
