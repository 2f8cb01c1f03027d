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
package org.apache.spark.scheduler.drizzle.ui

import org.apache.spark.status.AppStatusStore
import org.apache.spark.status.api.v1.{JobData, StageStatus}

/** Where the time of a job went, in milliseconds. What has not happened yet is empty.
  *
  * @param submittedMs since 1970
  * @param toFirstTaskMs from its submission to the begin of its first task
  * @param tasksMs from there to the end of its last stage
  * @param toEndMs from there to its own end
  * @param runMs for how long its tasks ran, all together
  * @param stages those that ran for it
  */
private[spark] final case class JobTimes(
    jobId: Int,
    name: String,
    submittedMs: Long,
    toFirstTaskMs: Option[Long],
    tasksMs: Option[Long],
    toEndMs: Option[Long],
    runMs: Long,
    stages: Int
)

private[spark] object JobTimes {

  /** Of the last jobs, the newest first. They are computed from what Spark keeps for its own pages. */
  def latest(store: AppStatusStore, most: Int): Seq[JobTimes] = for {
    job <- store.jobsList(null).sortBy(-_.jobId).take(most)
    submitted <- job.submissionTime
  } yield of(store, job, submitted.getTime)

  private def of(store: AppStatusStore, job: JobData, submittedMs: Long): JobTimes = {
    val attempts = job.stageIds
      // What is lost is computed again by another attempt of its stage.
      .flatMap(id => store.stageData(id))
      .filter(_.status != StageStatus.SKIPPED)
      // Those that another job has begun are no part of this one's time.
      .filter(_.firstTaskLaunchedTime.exists(_.getTime >= submittedMs))
    val firstTask = attempts.flatMap(_.firstTaskLaunchedTime).map(_.getTime).minOption
    val ended = job.completionTime.map(_.getTime)
    // The last stage's end, if no stage is left that runs.
    val lastStage = ended.flatMap(_ => attempts.flatMap(_.completionTime).map(_.getTime).maxOption)
    JobTimes(
      job.jobId,
      job.name,
      submittedMs,
      firstTask.map(_ - submittedMs),
      for (first <- firstTask; last <- lastStage) yield math.max(0, last - first),
      for (last <- lastStage; end <- ended) yield math.max(0, end - last),
      attempts.map(_.executorRunTime).sum,
      attempts.map(_.stageId).distinct.size
    )
  }
}
