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
package org.freshet.memo;

/**
 * The size of what one job run of a lineage left in the store, at about one moment.
 *
 * @param runId the job run
 * @param bytes of all its files, not counting replicas
 * @param packs number of pack files
 * @param published whether its own manifest is there; without it, the run is under way, or a later
 *     run still uses what it made
 */
public record RunStats(String runId, long bytes, long packs, boolean published) {}
