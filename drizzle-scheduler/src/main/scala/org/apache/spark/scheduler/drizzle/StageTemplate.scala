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

import java.nio.ByteBuffer
import java.util.Arrays
import java.util.concurrent.atomic.LongAdder

import scala.collection.mutable

/** Objects of a stage that has been read, and where numbers stand in its bytes. What Spark serializes for the same stage of
  * the next batch has most often the same bytes but for the numbers of its RDDs and shuffles, so its objects are copies of
  * these with other numbers: no class has to be looked up and described again. Immutable; safe for use by several threads.
  *
  * @param graph of what was read from the bytes
  * @param places where the numbers of its objects stand, from the first on
  */
private[drizzle] final class StageTemplate private (
    bytes: Array[Byte],
    graph: PlainGraph,
    places: Array[SerializedNumbers.Place]
) {
  private val starts = places.map(_.at)

  /** What would be read from other bytes, if they differ in nothing but such numbers. */
  def graphOf(other: Array[Byte]): Option[PlainGraph] =
    if (other.length != bytes.length) {
      None
    } else {
      val changed = mutable.ArrayBuffer.empty[SerializedNumbers.Place]
      var at = differsFrom(other, 0)
      var isLike = true
      while (at >= 0 && isLike) {
        val place = placeOf(at)
        isLike = place.isDefined
        for (number <- place) {
          changed += number
          at = differsFrom(other, number.end)
        }
      }
      if (isLike) Some(graph.withNumbers(changed.toArray, ByteBuffer.wrap(other))) else None
    }

  /** Negative if there is no difference from there on. */
  private def differsFrom(other: Array[Byte], from: Int): Int = {
    val at = Arrays.mismatch(bytes, from, bytes.length, other, from, other.length)
    if (at < 0) at else from + at
  }

  private def placeOf(at: Int): Option[SerializedNumbers.Place] = {
    val found = Arrays.binarySearch(starts, at)
    val before = if (found >= 0) found else -found - 2
    places.lift(before).filter(at < _.end)
  }
}

private[drizzle] object StageTemplate {

  /** Empty if it is not understood, or has no numbers.
    *
    * @param graph of what was read from the bytes
    */
  def of(
      bytes: Array[Byte],
      graph: PlainGraph,
      classes: String => Class[_]
  ): Option[StageTemplate] = for {
    places <- SerializedNumbers.in(bytes, graph.original, classes).toOption
    own = places.filter(place => graph.isOwn(place.of)) if own.nonEmpty
  } yield new StageTemplate(bytes, graph, own.toArray)
}

/** The templates of stages, or of their partitions, that one reader has read: those used last. Safe for use by several
  * threads.
  *
  * @param found counts those that were like an earlier one
  */
private[drizzle] final class StageTemplates(reader: ClosureReader, found: LongAdder) {
  import StageTemplates._

  // Guarded by this, and so is what they have.
  private val byLength = new RecentMap[Int, Kind](Most)

  /** What is in the bytes: something to make copies of, or, where that can't be or is not worth it, what has been read.
    *
    * @param isCopied whether it will be wanted several times
    */
  def read(bytes: Array[Byte], isCopied: Boolean): Either[AnyRef, PlainGraph] =
    graphOf(bytes) match {
      case Some(graph) => Right(graph)
      case None =>
        val read = reader.read[AnyRef](bytes)
        val isTemplate = isWanted(bytes)
        val graph = if (isCopied || isTemplate) PlainGraph.of(read).toOption else None
        if (isTemplate) {
          graph.foreach(add(bytes, _))
        }
        graph.toRight(read)
    }

  /** The objects of a stage that is like an earlier one. */
  def graphOf(bytes: Array[Byte]): Option[PlainGraph] = {
    val known = synchronized(
      byLength.get(bytes.length).fold(Vector.empty[StageTemplate])(_.templates)
    )
    known.iterator
      .flatMap(template => template.graphOf(bytes).map(template -> _))
      .nextOption()
      .map { case (template, graph) =>
        found.increment()
        synchronized(kindOf(bytes).found(template))
        graph
      }
  }

  /** A stage was like none. Whether one is to be added for it: not for what comes once, nor where none has helped.
    */
  def isWanted(bytes: Array[Byte]): Boolean =
    bytes.length <= Longest && synchronized(kindOf(bytes).isWanted())

  /** @param graph of what was read from the bytes */
  def add(bytes: Array[Byte], graph: PlainGraph): Unit =
    for (template <- StageTemplate.of(bytes, graph, reader.classNamed))
      synchronized(kindOf(bytes).add(template))

  private def kindOf(bytes: Array[Byte]): Kind = byLength.get(bytes.length).getOrElse {
    val kind = new Kind
    byLength.put(bytes.length, kind)
    kind
  }
}

private[drizzle] object StageTemplates {

  /** How many stages and how many partitions were like an earlier one, with whatever loader. */
  val stagesFound: LongAdder = new LongAdder
  val partitionsFound: LongAdder = new LongAdder

  /** Lengths of stages, and templates of each: a batch may have several stages that look alike. */
  private val Most = 64
  private val MostOfLength = 4

  /** In bytes. */
  private val Longest = 128 << 10

  /** So many stages of a length that were like none are one of a kind, each. */
  private val Barren = 20

  /** Stages whose bytes are of the same length. */
  private final class Kind {
    private var missed = 0

    /** The one that was found last comes first. */
    var templates: Vector[StageTemplate] = Vector.empty

    def found(template: StageTemplate): Unit = {
      missed = 0
      if (templates.headOption.exists(_ ne template)) {
        templates = template +: templates.filterNot(_ eq template)
      }
    }

    def isWanted(): Boolean = {
      missed += 1
      missed > 1 && missed <= Barren
    }

    def add(template: StageTemplate): Unit =
      templates = (template +: templates).take(MostOfLength)
  }
}
