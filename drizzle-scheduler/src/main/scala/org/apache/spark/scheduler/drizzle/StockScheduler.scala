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
package org.apache.spark.scheduler.drizzle

import java.lang.reflect.{InvocationTargetException, Method}

import org.apache.spark.scheduler.{DAGScheduler, Stage}

/** Steps of Spark's DAGScheduler that it keeps to itself. To be called on its event loop's thread,
  * as it does.
  */
private[drizzle] final class StockScheduler(dag: DAGScheduler) {
  import StockScheduler._

  /** Sends a stage's tasks to the task scheduler, whether or not its parents have run. */
  def submitMissingTasks(stage: Stage, jobId: Int): Unit =
    call(SubmitMissingTasks, stage, Integer.valueOf(jobId))

  /** Sends a stage's tasks, or if it has missing parents, theirs; then it waits. */
  def submitStage(stage: Stage): Unit = call(SubmitStage, stage)

  def missingParents(stage: Stage): List[Stage] =
    call(GetMissingParentStages, stage).asInstanceOf[List[Stage]]

  /** Ends an attempt of a stage that will have another one. */
  def endAttempt(stage: Stage, why: String): Unit =
    call(MarkStageAsFinished, stage, Some(why), java.lang.Boolean.TRUE)

  private def call(method: Method, arguments: AnyRef*): AnyRef =
    try method.invoke(dag, arguments: _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}

private[drizzle] object StockScheduler {
  private lazy val SubmitMissingTasks =
    Private.method(classOf[DAGScheduler], "submitMissingTasks", classOf[Stage], classOf[Int])
  private lazy val SubmitStage =
    Private.method(classOf[DAGScheduler], "submitStage", classOf[Stage])
  private lazy val GetMissingParentStages =
    Private.method(classOf[DAGScheduler], "getMissingParentStages", classOf[Stage])
  private lazy val MarkStageAsFinished = Private.method(
    classOf[DAGScheduler],
    "markStageAsFinished",
    classOf[Stage],
    classOf[Option[_]],
    classOf[Boolean]
  )

  def check(): Unit =
    Seq(SubmitMissingTasks, SubmitStage, GetMissingParentStages, MarkStageAsFinished)
}
