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

import java.util.Properties

import org.apache.spark.{SPARK_VERSION, SparkConf, SparkContext}
import org.apache.spark.internal.config.PUSH_BASED_SHUFFLE_ENABLED
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.scheduler.{Stage, TaskSchedulerImpl}
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend

/** Why something is left to stock Spark. */
private[drizzle] sealed abstract class Unsuited(val reason: String)

private[drizzle] object Unsuited {
  case object NoCluster extends Unsuited("it runs in the driver's process")
  case object PushedShuffle extends Unsuited(s"${PUSH_BASED_SHUFFLE_ENABLED.key} is set")
  case object TaskResources
      extends Unsuited("its tasks ask for resources other than cores (spark.task.resource.*)")
  final case class OtherSpark(lacks: String)
      extends Unsuited(
        s"this Spark, $SPARK_VERSION, has no $lacks, as the one has that the jar was built for, ${BuiltFor.Spark}"
      )
  case object SwitchedOff extends Unsuited(s"${DrizzleKeys.Enabled.key} is false")
  case object Barrier extends Unsuited("the stage is a barrier")
  case object Resources extends Unsuited("the stage has a resource profile of its own")
  case object Receiver extends Unsuited("it is a receiver, which keeps its slot")
  case object Continuous extends Unsuited("it is of a continuous query, whose tasks end with it")
  case object NoAgents extends Unsuited("no executor has an agent yet")
}

/** What can be sent ahead, by what is known of it. */
private[drizzle] object Suitability {

  /** Why nothing of an application can be sent ahead; empty if something may. */
  def of(sc: SparkContext): Option[Unsuited] = ofConf(sc.conf).orElse {
    if (
      !sc.taskScheduler.isInstanceOf[TaskSchedulerImpl] ||
      !sc.schedulerBackend.isInstanceOf[CoarseGrainedSchedulerBackend]
    ) {
      Some(Unsuited.NoCluster)
    } else if (sc.resourceProfileManager.defaultResourceProfile.getCustomTaskResources().nonEmpty) {
      // Which of an executor's are free, only stock knows.
      Some(Unsuited.TaskResources)
    } else {
      None
    }
  }

  /** The same, as far as it is known before there are schedulers. */
  def ofConf(conf: SparkConf): Option[Unsuited] =
    if (!conf.get(DrizzleKeys.Enabled)) {
      Some(Unsuited.SwitchedOff)
    } else if (conf.get(PUSH_BASED_SHUFFLE_ENABLED)) {
      Some(Unsuited.PushedShuffle)
    } else {
      Private.missing.map(Unsuited.OtherSpark)
    }

  /** @param properties of the job that submits the stage; may be null */
  def of(stage: Stage, properties: Properties): Option[Unsuited] =
    if (isSwitchedOff(properties)) {
      Some(Unsuited.SwitchedOff)
    } else if (stage.rdd.isBarrier()) {
      Some(Unsuited.Barrier)
    } else if (stage.resourceProfileId != ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID) {
      Some(Unsuited.Resources)
    } else if (isReceiver(stage, properties)) {
      // It never ends, and stock would send tasks of its own to the slot that it does not see taken.
      Some(Unsuited.Receiver)
    } else if (Option(properties).exists(_.getProperty(EpochCoordinator) != null)) {
      Some(Unsuited.Continuous)
    } else {
      None
    }

  /** What ContinuousExecution sets; Spark SQL may not be there. */
  private val EpochCoordinator = "__epoch_coordinator_id"

  /** Whether it is as Spark's ReceiverTracker makes them. */
  private def isReceiver(stage: Stage, properties: Properties): Boolean = {
    val description =
      Option(properties).flatMap(p => Option(p.getProperty(SparkContext.SPARK_JOB_DESCRIPTION)))
    Option(stage.rdd.name).exists(_.startsWith("Receiver ")) &&
    description.exists(_.startsWith("Streaming job running receiver "))
  }

  /** Whether a job is to be left to stock.
    *
    * @param properties of its own; may be null
    */
  def isSwitchedOff(properties: Properties): Boolean =
    Option(properties)
      .flatMap(p => Option(p.getProperty(DrizzleKeys.Enabled.key)))
      .exists(_.trim.equalsIgnoreCase("false"))
}
