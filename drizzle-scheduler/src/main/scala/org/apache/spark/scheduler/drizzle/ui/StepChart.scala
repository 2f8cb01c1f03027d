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

import org.apache.spark.ui.UIUtils

/** A line of a [[StepChart]].
  *
  * @param points milliseconds since 1970, ascending, and values of 0 or more; at least one
  */
private[ui] final case class Series(name: String, color: String, points: Seq[(Long, Double)])

/** Values over time, each of which holds until the next one, as an SVG image in the page. */
private[ui] object StepChart {
  import Html.element

  private val Width = 420
  private val Height = 120

  /** Left of the image, for the values' labels. */
  private val Margin = 60
  private val Line = 14

  /** @param least the value that the top of the chart has at least
    * @param show writes a value
    */
  def apply(title: String, series: Seq[Series], least: Double, show: Double => String): Node = {
    val all = series.flatMap(_.points)
    val (from, to) = (all.map(_._1).min, all.map(_._1).max)
    val top = math.max(least, all.map(_._2).max)
    def x(timeMs: Long) = Margin + Width * (timeMs - from).toDouble / math.max(1, to - from)
    def y(value: Double) = Line + Height * (1 - value / top)
    def number(value: Double) = String.format(Locale.ROOT, "%.1f", value)
    def path(points: Seq[(Long, Double)]) = {
      val (firstMs, first) = points.head
      val steps = points.tail.map { case (ms, value) => s"H${number(x(ms))}V${number(y(value))}" }
      steps.mkString(s"M${number(x(firstMs))} ${number(y(first))}", "", "")
    }
    val bottom = Line + Height
    val right = Margin + Width
    def label(x: Int, y: Int, anchor: String, text: String) =
      element("text", "x" -> x, "y" -> y, "text-anchor" -> anchor, "fill" -> "#333")(
        Html.text(text)
      )
    val labels = Seq(
      label(Margin - 4, Line + 4, "end", show(top)),
      label(Margin - 4, bottom, "end", show(0)),
      label(Margin, bottom + Line, "start", UIUtils.formatDate(from)),
      label(right, bottom + Line, "end", UIUtils.formatDate(to))
    )
    val lines = series.map { s =>
      element("path", "d" -> path(s.points), "stroke" -> s.color, "stroke-width" -> 1.5)()
    }
    val names = series.map { s =>
      element("span", "style" -> s"color: ${s.color}")(Html.text(s" ${s.name}"))
    }
    val axes = element("path", "d" -> s"M$Margin ${Line}V${bottom}H$right", "stroke" -> "#888")()
    val heading = element("div")(element("strong")(Html.text(title)) +: names: _*)
    val image = element(
      "svg",
      "width" -> (right + Line),
      "height" -> (bottom + 2 * Line),
      "role" -> "img",
      "aria-label" -> title,
      "font-size" -> 11,
      "fill" -> "none"
    )((axes +: labels) ++ lines: _*)
    element("div", "style" -> "display: inline-block; margin-right: 2em")(heading, image)
  }
}
