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
 * Between the user's {@code Job.submit()} and stock Hadoop: the client's side of a job.
 *
 * <p>Start with {@link org.freshet.mapreduce.submit.IncrementalClient}, which stands in front of
 * the stock client. When a job connects, {@code JobAttachment} decides whether it can run
 * incrementally, {@link org.freshet.mapreduce.submit.LineageReader} computes its identity, and
 * {@link org.freshet.mapreduce.submit.JobRewrite} replaces properties such that each can be put
 * back. {@link org.freshet.mapreduce.submit.Fallback} puts all of them back and says why. {@code
 * UnchangedJob} answers a job that has nothing to do.
 *
 * <p>User code is not run here. What to map is not decided here, but in {@code plan}, when stock
 * Hadoop asks for splits.
 */
package org.freshet.mapreduce.submit;
