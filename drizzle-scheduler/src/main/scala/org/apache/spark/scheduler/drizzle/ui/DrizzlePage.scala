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

import java.util.Locale

import scala.xml.Node

import org.apache.spark.status.AppStatusStore
import org.apache.spark.ui.{UIUtils, WebUIPage}

/** The only page of the tab. Each figure of the scheduler is in a cell whose id is the metric's name. */
private[ui] final class DrizzlePage(tab: DrizzleTab, store: DrizzleStore, spark: AppStatusStore)
    extends WebUIPage("") {
  import DrizzlePage._
  import Html.element

  override def render(request: Servlet.Request): Seq[Node] = {
    val content = store.latest match {
      case None           => Seq(paragraph("The scheduler has said nothing yet."))
      case Some(progress) => this.content(request, progress)
    }
    UIUtils.headerSparkPage(request, "Drizzle", content, tab, Some(Help))
  }

  private def content(request: Servlet.Request, progress: DrizzleProgress): Seq[Node] =
    progress.left match {
      case Some(why) =>
        Seq(alert(s"Freshet leaves this application to Spark's own scheduler: $why"))
      case None =>
        val operations = store.operations
        Seq(
          Seq(paragraph(s"Until ${UIUtils.formatDate(progress.timeMs)}")),
          charts(store.samples :+ progress, hasBatches = operations.nonEmpty),
          section("Figures", figures(progress)),
          fallbacks(progress),
          if (operations.isEmpty) Seq.empty
          else section("Where the time of output operations went", operationTimes(operations)),
          section("Where the time of jobs went", jobTimes(request))
        ).flatten
    }

  private def charts(samples: Seq[DrizzleProgress], hasBatches: Boolean): Seq[Node] = {
    def series(name: String, color: String, value: DrizzleProgress => Double) =
      Series(name, color, samples.map(s => s.timeMs -> value(s)))
    def whole(value: Double) = value.toLong.toString
    val dispatched = series("dispatched", Blue, _.count("stages.dispatched").toDouble)
    val ahead = series("sent ahead", Green, _.count("stages.sentAhead").toDouble)
    val stages = StepChart("Stages", Seq(dispatched, ahead), 1, whole)
    if (hasBatches) {
      val size = series("", Blue, _.groupSize.toDouble)
      val lost = series("", Orange, _.lost)
      Seq(
        StepChart("Group size", Seq(size), 1, whole),
        StepChart("Lost though batches were due", Seq(lost), 0.1, percent),
        stages
      )
    } else {
      Seq(stages)
    }
  }

  private def figures(progress: DrizzleProgress): Seq[Node] = {
    val gauges = Seq(
      "executors.slow" -> progress.slow.toString,
      "tasks.unsent" -> progress.unsent.toString,
      "group.size" -> progress.groupSize.toString,
      "group.lost" -> percent(progress.lost)
    )
    def row(figure: (String, String)) = {
      val (name, value) = figure
      tableRow(
        text(name),
        element("td", "id" -> name)(Html.text(value)),
        text(Meanings.getOrElse(name, ""))
      )
    }
    UIUtils.listingTable[(String, String)](
      Seq("Metric", "Now", "What it is"),
      row,
      progress.counts.map(c => c.of -> c.count.toString) ++ gauges,
      id = Some("figures")
    )
  }

  private def fallbacks(progress: DrizzleProgress): Seq[Node] = {
    def row(why: Count) = tableRow(text(why.of), text(why.count.toString))
    def table(title: String, id: String, header: String, counts: Seq[Count]) =
      if (counts.isEmpty) Seq.empty
      else {
        val sorted = counts.sortBy(-_.count)
        section(
          title,
          UIUtils.listingTable[Count](Seq("Reason", header), row, sorted, id = Some(id))
        )
      }
    val whole = progress.batchesLeft.map(why => alert(s"Batches are run one after the other: $why"))
    table("Left to stock Spark", "left-to-stock", "Stages", progress.leftToStock) ++ whole ++
      table("Waited for their turn", "in-turn", "Output operations", progress.inTurn)
  }

  private def operationTimes(operations: Seq[OperationTimes]): Seq[Node] = {
    val shown = operations.takeRight(MostRows).reverse
    val longest = math.max(1, shown.map(_.totalUs).max)
    def row(times: OperationTimes) = tableRow(
      text(UIUtils.formatBatchTime(times.batchMs, 1)),
      text(times.operation.toString),
      text(if (times.isEarly) "early" else "in its turn"),
      cell(times.toBeginUs / 1000.0),
      cell(times.ranUs / 1000.0),
      cell(times.forTurnUs / 1000.0),
      bar(times, longest)
    )
    def median(of: OperationTimes => Long) =
      duration(operations.map(of).sorted.apply(operations.size / 2) / 1000.0)
    val medians = s"Medians of the last ${operations.size}: waited to begin " +
      s"${median(_.toBeginUs)}, ran ${median(_.ranUs)}, waited for their turn ${median(_.forTurnUs)}"
    val headers =
      Seq("Batch", "Output operation", "Began", "Waited to begin", "Ran", "Waited for its turn", "")
    val table =
      UIUtils.listingTable[OperationTimes](headers, row, shown, id = Some("operations"))
    paragraph(medians) +: table
  }

  /** The parts of its time, beside each other. */
  private def bar(times: OperationTimes, longestUs: Long): Node = {
    val parts = Seq(times.toBeginUs -> Grey, times.ranUs -> Green, times.forTurnUs -> Orange)
    val starts = parts.scanLeft(0L)(_ + _._1)
    def scaled(us: Long) = BarWidth * us / longestUs
    val rectangles = parts.zip(starts).map { case ((us, color), start) =>
      element(
        "rect",
        "x" -> scaled(start),
        "y" -> 0,
        "width" -> scaled(us),
        "height" -> BarHeight,
        "fill" -> color
      )()
    }
    val svg = element("svg", "width" -> BarWidth, "height" -> BarHeight)(rectangles: _*)
    element("td")(svg)
  }

  private def jobTimes(request: Servlet.Request): Seq[Node] = {
    def part(milliseconds: Option[Long]) =
      milliseconds.map(ms => cell(ms.toDouble)).getOrElse(text("-"))
    def row(job: JobTimes) = {
      val link = UIUtils.prependBaseUri(request, tab.basePath, s"/jobs/job/?id=${job.jobId}")
      tableRow(
        element("td")(element("a", "href" -> link)(Html.text(job.jobId.toString))),
        text(job.name),
        text(UIUtils.formatDate(job.submittedMs)),
        text(job.stages.toString),
        part(job.toFirstTaskMs),
        part(job.tasksMs),
        part(job.toEndMs),
        cell(job.runMs.toDouble)
      )
    }
    val headers = Seq("Job", "Name", "Submitted", "Stages that ran", "To its first task") ++
      Seq("To the end of its last stage", "To its end", "All tasks together")
    val jobs = JobTimes.latest(spark, MostRows)
    UIUtils.listingTable[JobTimes](headers, row, jobs, id = Some("jobs"))
  }
}

private[ui] object DrizzlePage {
  import Html.element

  private val Help = "What Freshet's scheduler has sent ahead, and what it has left to Spark."
  private val MostRows = 100
  private val BarWidth = 300L
  private val BarHeight = 12
  private val Blue = "#0d6efd"
  private val Green = "#2a9d4e"
  private val Orange = "#f08c2e"
  private val Grey = "#b8bcc2"

  private val Meanings = Map(
    "stages.dispatched" -> "Stages whose tasks were sent by Freshet",
    "stages.sentAhead" -> "Those of them that were sent before their inputs were there",
    "stages.takenBack" -> "Those of them that were taken back, because inputs were lost",
    "placement.decided" -> "Stages for whose tasks it was decided where they go, each time",
    "placement.reused" -> "Stages whose tasks went where those of the batch before had gone",
    "tasks.sentAgain" -> "Tasks that waited on an executor that was lost, and then on another one",
    "tasks.following" -> "Tasks that waited for others on their executor, which cached what they read",
    "tasks.recalled" -> "Tasks asked back before they began, for an idle executor",
    "tasks.speculated" -> "Second attempts sent because the first was slow",
    "executors.rehearsed" -> "Executors that came late and rehearsed before they got tasks",
    "executors.slow" -> "Executors that get fewer tasks now, since tasks take at least twice as long there",
    "tasks.unsent" -> "Tasks that wait for an executor, or until the driver knows all of their inputs",
    "messages" -> "Messages with tasks",
    "batches.early" -> "Output operations that began before those before them had ended",
    "batches.inTurn" -> "Output operations that had to wait for their turn",
    "removals.spared" -> "RDDs of batches done with that no executor had to be told of, since they were never cached",
    "iterations.groups" -> "Groups of iterations that were run as a job each",
    "iterations.again" -> "Attempts of groups that were given up, and run again",
    "iterations.plain" -> "Groups of iterations that were run as plain jobs",
    "group.size" -> "How many batches may be under way at once",
    "group.lost" -> "Share of the executors' time that was lost lately though batches were due"
  )

  private def section(title: String, content: Seq[Node]): Seq[Node] =
    element("h4")(Html.text(title)) +: content

  private def paragraph(text: String): Node = element("p")(Html.text(text))

  private def alert(text: String): Node =
    element("div", "class" -> "alert alert-warning")(Html.text(text))

  /** Of a table, sorted by the number itself. */
  private def cell(milliseconds: Double): Node =
    element("td", "sorttable_customkey" -> milliseconds)(Html.text(duration(milliseconds)))

  private def text(value: String): Node = element("td")(Html.text(value))

  private def tableRow(cells: Node*): Node = element("tr")(cells: _*)

  private def percent(share: Double): String = String.format(Locale.ROOT, "%.1f %%", 100 * share)

  private def duration(milliseconds: Double): String =
    if (milliseconds < 1000) String.format(Locale.ROOT, "%.1f ms", milliseconds)
    else UIUtils.formatDuration(milliseconds.toLong)
}
