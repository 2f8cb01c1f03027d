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
package org.freshet.drizzle.bench

import java.nio.file.{Files, Path}

import scala.annotation.nowarn

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.dstream.DStream

/** Word count over a DStream, always of as many words a second, at shorter and shorter intervals, until
  * one cannot be kept up. Prints one line for each: milliseconds of the interval, of the median batch
  * and of the 99th of a hundred from when a batch was due to its end, and whether it was kept up. With a
  * directory for checkpoints, each batch counts the words of all batches so far.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object StreamedWords {
  private val Maps = 4
  private val Reducers = 4
  private val LinesPerSecond = 2000
  private val WordsInLine = 10
  private val DistinctWords = 1000

  private val LeastCheckpointMs = 1000

  /** @param arguments intervals in milliseconds, a list with commas; seconds for each; and a directory for
    *   checkpoints, if words are to be counted with those before
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(intervals, seconds, directory @ _*) if directory.size <= 1 =>
      val sc = Applications.start("Streamed words")
      val program = directory.headOption.fold[(StreamingContext, Int) => Unit](words)(totals)
      try
        new Streams(sc, program)
          .measure(intervals.split(',').toSeq.map(_.toInt), seconds.toInt) { (interval, delays) =>
            println(
              s"interval\t$interval\t${delays.percentile(50)}\t${delays.percentile(99)}\t" +
                delays.isKeptUp(interval)
            )
          }
      finally sc.stop()
    case _ =>
      System.err.println("Usage: StreamedWords INTERVALS SECONDS [DIRECTORY]")
      sys.exit(2)
  }

  private def words(streaming: StreamingContext, intervalMs: Int): Unit =
    counts(streaming, intervalMs).foreachRDD { (rdd: RDD[(String, Int)], time: Time) =>
      val counted = rdd.collect().map(_._2).sum
      check(time, counted, wordsOfBatch(intervalMs))
    }

  private def totals(directory: String)(streaming: StreamingContext, intervalMs: Int): Unit = {
    streaming.checkpoint(Files.createTempDirectory(Path.of(directory), "checkpoint").toString)
    val totals = counts(streaming, intervalMs).updateStateByKey(
      (now: Seq[Int], before: Option[Long]) => Some(before.getOrElse(0L) + now.map(_.toLong).sum),
      Reducers
    )
    // What is sent of a batch grows until there is one.
    val checkpointed = math.max(10, (LeastCheckpointMs + intervalMs - 1) / intervalMs) * intervalMs
    totals.checkpoint(Milliseconds(checkpointed.toLong))
    var expected = 0L
    totals.foreachRDD { (rdd: RDD[(String, Long)], time: Time) =>
      val counted = rdd.collect().map(_._2).sum
      expected += wordsOfBatch(intervalMs)
      check(time, counted, expected)
    }
  }

  private def counts(streaming: StreamingContext, intervalMs: Int): DStream[(String, Int)] =
    new Streams.Generated(streaming, Maps, sentences(linesOfMap(intervalMs)))
      .flatMap(_.split(' '))
      .map(word => (word, 1))
      .reduceByKey(_ + _, Reducers)

  private def linesOfMap(intervalMs: Int): Int = LinesPerSecond * intervalMs / 1000 / Maps

  private def wordsOfBatch(intervalMs: Int): Long =
    Maps.toLong * linesOfMap(intervalMs) * WordsInLine

  private def check(time: Time, counted: Long, expected: Long): Unit =
    require(counted == expected, s"The batch of $time counted $counted words, not $expected")

  private def sentences(lines: Int): (Long, Int) => Iterator[String] = { (time, part) =>
    val random = new java.util.SplittableRandom(time + part)
    def word = s"w${random.nextInt(DistinctWords)}"
    Iterator.fill(lines)(Iterator.fill(WordsInLine)(word).mkString(" "))
  }
}
