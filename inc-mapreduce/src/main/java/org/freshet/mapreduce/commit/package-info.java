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
 * The end of a job: its own commit, and after it the publication of what the run memoized.
 *
 * <p>Start with {@link org.freshet.mapreduce.commit.RunPublisher}. The output formats and
 * committers here stand in for the job's own and delegate to them; only where a whole job is
 * committed do they add the call of the publisher. A job whose output is committed never fails for
 * the sake of the memo.
 */
package org.freshet.mapreduce.commit;
