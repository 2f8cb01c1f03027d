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

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.file.Path

import org.apache.spark.scheduler.drizzle.TestCluster

/** The tab as a browser gets it. */
private[ui] object TabPage {
  private val Client = HttpClient.newBuilder.followRedirects(HttpClient.Redirect.ALWAYS).build()

  /** Of an application with a UI, whose events are logged. */
  def settings(logs: Path): Seq[(String, String)] = Seq(
    "spark.ui.enabled" -> "true",
    "spark.ui.port" -> "0",
    "spark.eventLog.enabled" -> "true",
    "spark.eventLog.dir" -> logs.toUri.toString
  )

  /** The tab below a UI, as soon as it is as wanted. */
  def pageWith(ui: String)(wanted: Page => Boolean): Page = {
    var page = new Page("")
    TestCluster.await {
      page = fetch(s"$ui/drizzle/")
      wanted(page)
    }
    page
  }

  private def fetch(url: String): Page = {
    val request = HttpRequest.newBuilder(URI.create(url)).build()
    new Page(Client.send(request, HttpResponse.BodyHandlers.ofString()).body)
  }

  /** A page's HTML. */
  final class Page(val text: String) {
    def cell(id: String): Option[String] =
      s"""<td id="${java.util.regex.Pattern.quote(id)}">([^<]*)</td>""".r
        .findFirstMatchIn(text)
        .map(_.group(1))

    /** What is in the cells of a table's body. */
    def rows(table: String): Seq[Seq[String]] = {
      val body = text.split(s"""id="$table">""", 2).lift(1).map(_.split("</table>", 2).head)
      val rows = body.toSeq.flatMap(_.split("<tbody>").last.split("<tr>").drop(1))
      rows.map("(?s)<td[^>]*>(.*?)</td>".r.findAllMatchIn(_).map(_.group(1).trim).toSeq)
    }
  }
}
