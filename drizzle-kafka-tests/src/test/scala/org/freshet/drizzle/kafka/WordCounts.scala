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
package org.freshet.drizzle.kafka

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardCopyOption, StandardOpenOption}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** How often words were read.
  *
  * @param until for each partition, the offset behind the last record that was counted; empty where
  *   somebody else keeps that
  */
final case class WordCounts(until: Map[Int, Long], counts: Map[String, Long]) {
  def total: Long = counts.values.sum

  def +(more: WordCounts): WordCounts = WordCounts(
    until ++ more.until,
    more.counts.foldLeft(counts) { case (sum, (word, n)) =>
      sum.updated(word, sum.getOrElse(word, 0L) + n)
    }
  )
}

object WordCounts {
  val none: WordCounts = WordCounts(Map.empty, Map.empty)
}

/** Keeps word counts in a file that is replaced as a whole, so whoever reads it sees offsets and counts
  * that belong together, also after a crash.
  *
  * For one writer; safe for any readers.
  */
final class CountsFile(path: String) extends Serializable {

  /** What was written last; nothing at first. */
  def read(): WordCounts = if (Files.exists(Path.of(path))) {
    val lines = Files.readAllLines(Path.of(path)).asScala.toSeq.map(_.split('\t'))
    def of(kind: String) = lines.collect { case Array(`kind`, key, n) => key -> n.toLong }.toMap
    WordCounts(of("until").map { case (partition, n) => partition.toInt -> n }, of("count"))
  } else {
    WordCounts.none
  }

  def write(all: WordCounts): Unit = {
    val lines = all.until.map { case (partition, n) => s"until\t$partition\t$n\n" } ++
      all.counts.map { case (word, n) => s"count\t$word\t$n\n" }
    val next = Path.of(s"$path.next")
    val options = Seq(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
    Using.resource(FileChannel.open(next, (options :+ StandardOpenOption.WRITE): _*)) { file =>
      file.write(ByteBuffer.wrap(lines.mkString.getBytes(UTF_8)))
      file.force(true)
    }
    Files.move(next, Path.of(path), StandardCopyOption.ATOMIC_MOVE)
    ()
  }
}
