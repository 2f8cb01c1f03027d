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

import scala.annotation.nowarn

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{StreamingContext, Time}

/** Word count over a DStream, always of as many words a second, at shorter and shorter intervals, until
  * one cannot be kept up. Prints one line for each: milliseconds of the interval, of the median batch
  * and of the 99th of a hundred from when a batch was due to its end, and whether it was kept up.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object StreamedWords {
  private val Maps = 4
  private val Reducers = 4
  private val LinesPerSecond = 2000
  private val WordsInLine = 10
  private val DistinctWords = 1000

  /** @param arguments intervals in milliseconds, a list with commas; seconds for each */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(intervals, seconds) =>
      val sc = Applications.start("Streamed words")
      try
        new Streams(sc, words)
          .measure(intervals.split(',').toSeq.map(_.toInt), seconds.toInt) { (interval, delays) =>
            println(
              s"interval\t$interval\t${delays.percentile(50)}\t${delays.percentile(99)}\t" +
                delays.isKeptUp(interval)
            )
          }
      finally sc.stop()
    case _ =>
      System.err.println("Usage: StreamedWords INTERVALS SECONDS")
      sys.exit(2)
  }

  private def words(streaming: StreamingContext, intervalMs: Int): Unit = {
    val linesOfMap = LinesPerSecond * intervalMs / 1000 / Maps
    val counts = new Streams.Generated(streaming, Maps, sentences(linesOfMap))
      .flatMap(_.split(' '))
      .map(word => (word, 1))
      .reduceByKey(_ + _, Reducers)
    counts.foreachRDD { (rdd: RDD[(String, Int)], time: Time) =>
      val counted = rdd.collect().map(_._2).sum
      require(
        counted == Maps * linesOfMap * WordsInLine,
        s"The batch of $time counted $counted words"
      )
    }
  }

  private def sentences(lines: Int): (Long, Int) => Iterator[String] = { (time, part) =>
    val random = new java.util.SplittableRandom(time + part)
    def word = s"w${random.nextInt(DistinctWords)}"
    Iterator.fill(lines)(Iterator.fill(WordsInLine)(word).mkString(" "))
  }
}
