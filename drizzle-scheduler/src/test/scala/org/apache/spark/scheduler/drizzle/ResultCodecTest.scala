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

import java.io.{ByteArrayOutputStream, ObjectOutputStream}
import java.nio.ByteBuffer

import scala.util.Random

import org.apache.spark.SparkConf
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.scheduler.DirectTaskResult
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.util.{AccumulatorMetadata, AccumulatorV2, CollectionAccumulator}
import org.apache.spark.util.{DoubleAccumulator, LongAccumulator}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What the driver reads is what it would have read from Java's serialization. */
final class ResultCodecTest {
  private val java = new JavaSerializer(new SparkConf(false)).newInstance()
  private val random = new Random(4)

  /** As a task has them that runs: the ids are not in order. */
  private def template: TaskMetricsTemplate = new TaskMetricsTemplate(
    random.shuffle((0 until (new TaskMetrics).nameToAccums.size).toVector).map(_ * 7L + 3).toArray
  )

  private def user[A <: AccumulatorV2[_, _]](accumulator: A, id: Long, name: Option[String]): A = {
    accumulator.metadata = AccumulatorMetadata(id, name, countFailedValues = false)
    Private.field(classOf[AccumulatorV2[_, _]], "atDriverSide").setBoolean(accumulator, false)
    accumulator
  }

  private def result(metrics: TaskMetrics, others: Seq[AccumulatorV2[_, _]]) =
    new DirectTaskResult[Any](
      ByteBuffer.wrap(random.nextBytes(random.nextInt(300))),
      metrics.nonZeroInternalAccums() ++ others,
      Array.fill(random.nextInt(30))(random.nextLong())
    )

  /** All that the driver looks at. */
  private def seen(result: DirectTaskResult[_]): Seq[Any] = Seq(
    result.valueByteBuffer.toArray.toSeq,
    result.metricPeaks.toSeq,
    result.accumUpdates.map { a =>
      val count = a match {
        case long: LongAccumulator     => long.count
        case double: DoubleAccumulator => double.count
        case _                         => 0L
      }
      (a.getClass, a.metadata, a.isAtDriverSide, a.value, a.isZero, count)
    }.toSet
  )

  private def byJava(result: DirectTaskResult[_]): DirectTaskResult[_] =
    java.deserialize[DirectTaskResult[_]](java.serialize(result))

  private def written(result: DirectTaskResult[_], template: TaskMetricsTemplate): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    ResultCodec.write(result, result.valueByteBuffer.toArray, template, java, bytes)
    bytes.toByteArray
  }

  @Test
  def resultsAreThoseOfJavasSerialization(): Unit = for (_ <- 0 until 200) {
    val ids = template
    val metrics = ids.create()
    metrics.internalAccums.foreach {
      case long: LongAccumulator if random.nextBoolean() => long.setValue(random.nextLong())
      case long: LongAccumulator if random.nextBoolean() =>
        Seq.fill(3)(random.nextInt()).foreach(long.add(_))
      case blocks: CollectionAccumulator[Any @unchecked] if random.nextBoolean() =>
        blocks.add("block")
      case _ =>
    }
    val long = user(new LongAccumulator, 1000, Some("words"))
    long.add(random.nextInt())
    val double = user(new DoubleAccumulator, 1001, None)
    double.add(random.nextDouble())
    val others = random.shuffle(Seq(long, double, user(new LongAccumulator, 1002, None)))
    val task = result(metrics, others.take(random.nextInt(4)))

    val read = ResultCodec.read(written(task, ids), ids, java)

    assertThat(read.map(seen)).isEqualTo(Some(seen(byJava(task))))
  }

  @Test
  def javasSerializationIsToldApart(): Unit = {
    val ids = template
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(result(ids.create(), Nil))
    out.close()
    assertThat(ResultCodec.read(bytes.toByteArray, ids, java)).isEqualTo(None)
    assertThat(ResultCodec.read(Array.emptyByteArray, ids, java)).isEqualTo(None)
  }

  @Test
  def aLongValueIsLeftToSpark(): Unit = {
    assertThat(ResultCodec.suits(1 << 20)).isTrue()
    assertThat(ResultCodec.suits((1 << 20) + 1L)).isFalse()
  }
}
