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
package org.apache.spark.scheduler.drizzle.iterate

import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.{SparkContext, SparkException, TaskContext}
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.TASK_MAX_FAILURES
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.{Dispatcher, DrizzleDAGScheduler, GroupSize, Suitability}
import org.freshet.drizzle.iterate.{IterationGroup, SharedVariable, SharedVariables}

/** The driver's side of iterations, for `org.freshet.drizzle.iterate.Iterations`; not for applications. It keeps
  * the variables' values at the last boundary between groups, and runs a group again if it has failed. Not
  * safe for use by several threads.
  *
  * @param fixedSize how many iterations a group has, if measurements are not to tell
  */
final class IterationsJob[T](
    data: RDD[T],
    variables: Vector[SharedVariable[_, _]],
    fixedSize: Option[Int],
    body: (Int, Iterator[T], SharedVariables) => Unit
) extends Logging {
  private val sc = data.sparkContext
  private val id = IterationsJob.next.incrementAndGet()
  private val clean = sc.clean(body)
  private val all = variables.asInstanceOf[Vector[SharedVariable[Any, Any]]]
  private val partitions = data.getNumPartitions
  private val size = GroupSize.of(sc.conf, fixedSize)
  private var isGrouped = false

  /** When the group before ended. What the driver does from then on is for the next one. */
  private var endedNs = System.nanoTime()

  /** How many attempts of groups there were. */
  private var attempts = 0

  /** The attempt that made the values at the last boundary; 0 if executors have not made them. */
  private var boundaryBy = 0

  private val dispatcher: Either[String, Dispatcher] = sc.dagScheduler match {
    case ours: DrizzleDAGScheduler => Right(ours.dispatcher)
    case _ => Left(Suitability.of(sc).map(_.reason).getOrElse("Freshet's plug-in is not on"))
  }
  dispatcher.left.foreach(why => logInfo(s"Each iteration is a job of its own: $why"))

  /** How many iterations the next group should have. */
  def groupSize: Int = size.now

  /** @param values at its beginning
    * @return those at its end
    */
  def run(group: IterationGroup, values: Vector[Any]): Vector[Any] = dispatcher match {
    case Right(ours) if partitions > 0 =>
      val (found, ranNs) = inOneJob(ours, group, values)
      val now = System.nanoTime()
      ranNs.foreach { ran =>
        size.ended(IterationsJob.lost(ran, now - endedNs))
        ours.source.iterated(size.now, size.lost)
      }
      endedNs = now
      found
    case _ => inJobs(group, values)
  }

  /** Executors may forget the variables. */
  def close(): Unit = if (isGrouped) {
    dispatcher.foreach(_.forgetIterations(id))
  }

  /** @return the values at its end, and how long the task ran that ran longest. A group that was run again, or as
    *   plain jobs, does not say what others lose, so that is empty then.
    */
  private def inOneJob(
      ours: Dispatcher,
      group: IterationGroup,
      values: Vector[Any]
  ): (Vector[Any], Option[Long]) = {
    isGrouped = true
    val bytes = variables.zip(values).map(GroupProgram.toBytes)
    val boundary = sc.broadcast(bytes)
    val failures = new GroupFailures(
      sc.conf.get(TASK_MAX_FAILURES),
      sc.dagScheduler.maxConsecutiveStageAttempts
    )
    var ended = Option.empty[(Vector[Any], Option[Long])]
    var isAgain = false
    try
      while (ended.isEmpty) {
        attempts += 1
        val program = new GroupProgram(id, attempts, boundaryBy, group, variables, boundary)
        val rdd = new GroupRDD(data, program, clean)
        try {
          val (found, ranNs) = attempt(rdd)
          ended = Some((found, Option.when(!isAgain)(ranNs)))
          boundaryBy = attempts
          ours.source.iterationGroups.inc()
        } catch {
          case e: SparkException =>
            rdd.givenUp match {
              case None => throw e
              case Some(GroupGivenUp.LeftToStock(why)) =>
                logInfo(s"Each of the iterations $group is a job of its own: $why")
                ours.source.iterationsPlain.inc()
                ended = Some((inJobs(group, values), None))
                boundaryBy = 0
              case Some(failed) =>
                failures.add(failed).foreach { what =>
                  val message = s"$what in iterations $group, most recently: ${failed.why}"
                  throw new SparkException(message, e)
                }
                isAgain = true
                ours.source.iterationsAgain.inc()
                logWarning(s"Run again, iterations $group: ${failed.why}")
            }
        }
      }
    finally boundary.destroy()
    ended.get
  }

  /** @return the values at its end, and how long the task ran that ran longest */
  private def attempt(rdd: GroupRDD[T]): (Vector[Any], Long) = {
    var values = Array.empty[Array[Byte]]
    var ranNs = 0L
    described(s"Iterations ${rdd.group}")(
      sc.runJob(
        rdd,
        (_: TaskContext, results: Iterator[Array[Byte]]) => results.toArray,
        0 until partitions,
        (index: Int, result: Array[Array[Byte]]) => {
          ranNs = math.max(ranNs, GroupRDD.ranNs(result))
          if (index == 0) values = GroupRDD.values(result)
        }
      )
    )
    (variables.zip(values).map(GroupProgram.fromBytes), ranNs)
  }

  /** For Spark's UI, unless the application describes its jobs itself. */
  private def described[A](what: String)(job: => A): A =
    if (sc.getLocalProperty(SparkContext.SPARK_JOB_DESCRIPTION) != null) {
      job
    } else {
      sc.setJobDescription(what)
      try job
      finally sc.setJobDescription(null)
    }

  /** By plain jobs of Spark, one for each iteration. */
  private def inJobs(group: IterationGroup, values: Vector[Any]): Vector[Any] = {
    val tree = new MergeTree(partitions)
    var now = all.zip(values).map { case (variable, value) => variable.groupBegins(value, group) }
    for (iteration <- group.first to group.last if partitions > 0) {
      val updates = described(s"Iteration $iteration")(
        IterationsJob.updates(sc, data, variables, now, iteration, clean)
      )
      now = all.zip(now).zipWithIndex.map { case ((variable, value), index) =>
        val ofAll = updates.zipWithIndex.map { case (ofPartition, partition) =>
          MergeNode(0, partition) -> ofPartition(index).map(variable.updateFromBytes)
        }
        tree.total(ofAll.toMap)(variable.merge).fold(value)(variable(value, _, iteration))
      }
    }
    all.zip(now).map { case (variable, value) => variable.groupEnds(value, group) }
  }
}

private object IterationsJob {
  private val next = new AtomicLong

  /** The share of a group's time that was not spent in iterations: its tasks wait for one another, so the one that ran
    * longest was there from the first iteration to the last.
    *
    * @param groupNs from the end of the group before to its own
    */
  def lost(ranNs: Long, groupNs: Long): Double =
    math.max(0, 1 - ranNs / math.max(1, groupNs).toDouble)

  /** Runs one iteration.
    *
    * @return by partitions, then by variables
    */
  private def updates[T](
      sc: SparkContext,
      data: RDD[T],
      variables: Vector[SharedVariable[_, _]],
      values: Vector[Any],
      iteration: Int,
      body: (Int, Iterator[T], SharedVariables) => Unit
  ): Array[Array[Option[Array[Byte]]]] = {
    val broadcast = sc.broadcast(variables.zip(values).map(GroupProgram.toBytes))
    try
      sc.runJob(
        data,
        (_: TaskContext, rows: Iterator[T]) => {
          val shared = new PlainVariables(variables, broadcast.value)
          shared.begin(iteration)
          body(iteration, rows, shared)
          shared.end()
          shared.result
        }
      )
    finally broadcast.destroy()
  }
}

/** How often attempts of a group have failed.
  *
  * @param most how often a partition may
  * @param mostFetches how often what is read may not be there, whichever partitions miss it
  */
private[iterate] final class GroupFailures(most: Int, mostFetches: Int) {
  private val ofPartitions = mutable.HashMap.empty[Int, Int]
  private var fetches = 0

  /** @return what has happened too often, if something has */
  def add(failure: GroupGivenUp): Option[String] = failure match {
    case GroupGivenUp.FetchFailed(_) =>
      fetches += 1
      if (fetches >= mostFetches) Some(s"Inputs could not be fetched $fetches times") else None
    case GroupGivenUp.Failed(_, partitions) =>
      partitions.foreach(p => ofPartitions(p) = ofPartitions.getOrElse(p, 0) + 1)
      partitions.filter(ofPartitions(_) >= most).toVector.sorted match {
        case Vector()     => None
        case Vector(only) => Some(s"Partition $only failed $most times")
        case several      => Some(s"Partitions ${several.mkString(", ")} failed $most times each")
      }
    case GroupGivenUp.LeftToStock(_) => None
  }
}

/** The variables in a task of a job that runs one iteration. */
private[iterate] final class PlainVariables(
    variables: Vector[SharedVariable[_, _]],
    bytes: Vector[Array[Byte]]
) extends TaskVariables(variables) {
  private val values = new Array[Option[Any]](variables.size).map(_ => Option.empty[Any])

  /** What was committed. */
  val result: Array[Option[Array[Byte]]] = variables.map(_ => None).toArray

  override protected def value(variable: Int, wait: Boolean): Any = {
    val value =
      values(variable).getOrElse(GroupProgram.fromBytes((variables(variable), bytes(variable))))
    values(variable) = Some(value)
    value
  }

  override protected def committed(variable: Int, update: Option[Any]): Unit =
    result(variable) =
      update.map(variables(variable).asInstanceOf[SharedVariable[Any, Any]].updateToBytes)
}
