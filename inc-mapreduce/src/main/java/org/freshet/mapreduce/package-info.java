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
 * Incremental MapReduce: what stock Hadoop finds of Freshet, and what every part of it shares.
 *
 * <p>{@link org.freshet.mapreduce.FreshetClientProtocolProvider} is the way in. {@link
 * org.freshet.mapreduce.FreshetKeys} and {@link org.freshet.mapreduce.FreshetCounters} are all that
 * a user can set and read; {@link org.freshet.mapreduce.FallbackReason} lists why a job may run as
 * stock. Logic does not live here.
 *
 * <p>The packages below follow a job from its submission to its commit. Read them in this order:
 *
 * <ol>
 *   <li>{@code submit}: recognizes a job, names its lineage, puts Freshet's classes in place;
 *   <li>{@code analysis}: what the job's bytecode can see;
 *   <li>{@code plan}: what is memoized, what must be mapped, what must be combined;
 *   <li>{@code map}: map tasks that keep the output of each chunk apart;
 *   <li>{@code run}: sorted runs, how they are named, merged and combined;
 *   <li>{@code reduce}: the contraction phase between shuffle and reduce;
 *   <li>{@code commit}: how a run becomes visible to the next one;
 *   <li>{@code report}: what was decided about a job, for people.
 * </ol>
 *
 * <p>Beside them stands {@code index}, a job of our own that finds the chunks of many files.
 */
package org.freshet.mapreduce;
