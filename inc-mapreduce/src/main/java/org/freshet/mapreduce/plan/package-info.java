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
 * What a delta job has to do: the input as leaves, compared with what the last run left.
 *
 * <p>Start with {@link org.freshet.mapreduce.plan.JobPlanner}, the only type here with effects but
 * for {@code InputScan}, which reads input that is not indexed. {@code InputScan} maps the job's
 * own splits onto leaves and names them; {@link org.freshet.mapreduce.plan.KnownRuns} says what is
 * memoized and still there; {@code DeltaPlanner}, a pure function, compares the two. The outcome
 * goes three ways: batches to the map tasks, a {@link org.freshet.mapreduce.plan.ReducePlan} as
 * large as the change to the reduce tasks, a manifest draft to the commit.
 *
 * <p>Nothing here runs in a task, and nothing here looks into a run.
 */
package org.freshet.mapreduce.plan;
